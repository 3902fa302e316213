import { createHash } from 'node:crypto'

/** Numbers that look random and are the same on every start: the nth 32 bits of a text's digest, n from 0 to 7. */
export function words(text: string): (n: number) => number {
  const digest = createHash('sha256').update(text).digest()
  return (n) => digest.readUInt32BE(n * 4)
}
