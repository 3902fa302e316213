import { tidy } from './text.ts'

/** The beginning of a value as JSON, for a sentence; "…" for one that is nested too deeply to be written. */
export function preview(value: unknown, length: number): string {
  try {
    return String(JSON.stringify(value)).slice(0, length)
  } catch {
    return '…'
  }
}

/** A sentence with the message that a school sent in place of an answer. */
export function schoolSays(message: unknown): string {
  return `The school says: ${tidy(message).slice(0, 200) || preview(message, 200)}`
}
