const DISCORD_HOSTS = new Set(
  ['discord.com', 'discordapp.com'].flatMap((host) => [host, `ptb.${host}`, `canary.${host}`]),
)
const WEBHOOK = /^\/webhooks\/[1-9]\d{0,19}\/[A-Za-z0-9_-]{1,200}\/?$/

/** Whether it is on Discord's hosts or under `DISCORD_API_URL`; a form's address may lead nowhere else. */
export function isWebhookAddress(text: string, apiUrl: string): boolean {
  if (/[\p{Cc}\s]/u.test(text)) return false
  const url = URL.parse(text)
  if (url === null || url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') return false
  const api = URL.parse(apiUrl)
  if (api !== null && url.origin === api.origin) {
    const base = api.pathname.replace(/\/$/, '')
    return url.pathname.startsWith(base) && WEBHOOK.test(url.pathname.slice(base.length).replace(/^\/v\d+/, ''))
  }
  if (url.protocol !== 'https:' || url.port !== '' || !DISCORD_HOSTS.has(url.hostname)) return false
  return url.pathname.startsWith('/api/') && WEBHOOK.test(url.pathname.replace(/^\/api(\/v\d+)?/, ''))
}

/** A webhook as it will be requested, or what is wrong: dot segments and backslashes make one look like two. */
export function parseWebhook(text: string, apiUrl: string): { address: string } | { error: string } {
  const url = URL.parse(text)
  if (url === null || /[?#]/.test(text) || !isWebhookAddress(text, apiUrl))
    return { error: 'Enter a valid Discord webhook address.' }
  return { address: `${url.origin}${url.pathname.replace(/\/$/, '')}` }
}

/** Its id and token, because Discord serves it under several hosts and API versions. */
export const webhookKey = (address: string): string => /\/webhooks\/(\d+\/[\w-]+)\/?$/.exec(address)?.[1] ?? address

/** Its id, for which Discord has a rate limit. */
export const webhookId = (address: string): string => /\/webhooks\/(\d{1,20})\//.exec(address)?.[1] ?? 'unknown'

/** 'Discord webhook …1234': the end of its id, never of its token. */
export function maskedWebhook(address: string): string {
  const end = /\/webhooks\/\d*(\d{4})(?=\/)/.exec(address)?.[1]
  return end === undefined ? 'Discord webhook' : `Discord webhook …${end}`
}
