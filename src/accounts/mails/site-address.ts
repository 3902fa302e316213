/** A link for a mail. Its host is configured, as a request could name any host. */
export function siteAddress(env: Env, path: string): string {
  return env.APP_URL.replace(/\/+$/, '') + path
}
