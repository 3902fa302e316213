/** A link for a mail. The host comes from the configuration, because a request could name any host. */
export function siteAddress(env: Env, path: string): string {
  return env.APP_URL.replace(/\/+$/, '') + path
}
