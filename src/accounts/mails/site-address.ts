/** A link for a mail. Its host is configured, never taken from a request: whoever asks for a mail could send any Host. */
export function siteAddress(env: Env, path: string): string {
  return env.APP_URL.replace(/\/+$/, '') + path
}
