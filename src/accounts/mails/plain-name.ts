/** A dot before letters, a scheme or `www`: mail programs make links of these, whoever wrote them. */
const LINKED = /[\p{L}\p{N}-]\.\p{L}{2}|:\/\/|\bwww\b/iu

/**
 * A name that somebody chose, as it may stand in a mail; null for one that a mail program would make a link of, which would look
 * like ours.
 */
export function plainName(name: string): string | null {
  return LINKED.test(name) ? null : name
}

/** A Discord account in a mail: by those of its names that may stand there, else by its number. */
export function discordName(account: { display_name: string; username: string; discord_id: string }): string {
  const [shown, username] = [plainName(account.display_name), plainName(account.username)]
  if (shown !== null && username !== null) return `${shown} (${username})`
  return shown ?? username ?? `number ${account.discord_id}`
}
