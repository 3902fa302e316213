/** The address of a page, for emails and for Discord. The host is configured, because a request could name any host. */
export function siteAddress(env: Env, path: string): string {
  return env.APP_URL.replace(/\/+$/, '') + path
}

/**
 * Text in which no email app finds anything to link: "www.evil.example" becomes "www dot evil dot example". Email
 * programs link bare host names, email addresses and web addresses.
 */
export function withoutLinks(text: string): string {
  return text
    .replace(/[@＠]/g, ' at ')
    .replace(/[.。．｡](?=\S)/g, ' dot ')
    .replace(/[:：/\\]+(?=\S)/g, ' ')
}
