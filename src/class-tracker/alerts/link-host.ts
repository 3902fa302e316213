/** With a longer host in its link, a text no longer fits one segment. */
const MAX_HOST = 35

/** What staff should know about the address in messages, in a sentence; null where it is short enough. */
export function longHostWarning(appUrl: string): string | null {
  const { host } = new URL(appUrl)
  if (host.length <= MAX_HOST) return null
  return `The address in messages, ${host}, is longer than ${MAX_HOST} characters: some texts will take two segments.`
}
