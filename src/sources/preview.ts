/** The beginning of a value as JSON, for a sentence; "…" for one that is nested too deeply to be written. */
export function preview(value: unknown, length: number): string {
  try {
    return String(JSON.stringify(value)).slice(0, length)
  } catch {
    return '…'
  }
}
