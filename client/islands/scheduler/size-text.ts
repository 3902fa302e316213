/** "340 kB", "1.2 GB": in steps of a thousand. */
export function sizeText(bytes: number): string {
  const power = Math.min(3, Math.floor(Math.log10(Math.max(1000, bytes)) / 3))
  const size = bytes / 1000 ** power
  return `${size < 10 ? Number(size.toFixed(1)) : Math.round(size)} ${['', 'kB', 'MB', 'GB'][power]}`
}
