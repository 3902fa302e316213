/** With a longer host in its link, a text does not fit into one segment. */
const MAX_HOST = 35

/** A warning for staff about the address in messages; null if it is short enough. */
export function longHostWarning(appUrl: string): string | null {
  const { host } = new URL(appUrl)
  if (host.length <= MAX_HOST) return null
  return `The address in messages, ${host}, is longer than ${MAX_HOST} characters: some texts will take two segments.`
}
