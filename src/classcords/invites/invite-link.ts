const MAX_LINK_LENGTH = 200
const code = /^[A-Za-z0-9-]{2,100}$/
const hostAndPath = /^(?:(?:www|ptb|canary)\.)?discord(?:\.gg|(?:app)?\.com\/invite)\/([^/]+)\/?$/

/**
 * The code of a Discord invite link, however it is spelled: discord.gg/CODE, discord.com/invite/CODE,
 * discordapp.com/invite/CODE (with www, ptb or canary), with or without a scheme. Null for anything else.
 */
export function codeOfLink(typed: string): string | null {
  const text = typed.trim()
  if (text.length > MAX_LINK_LENGTH || /\s/.test(text)) return null
  const url = URL.parse(/^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `https://${text}`)
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password || url.port) return null
  const found = hostAndPath.exec(url.hostname + url.pathname)?.[1] ?? ''
  return code.test(found) ? found : null
}

/** Codes are case-sensitive, except for a server's vanity code, which is written as the server spells it. */
export function canonicalCode(asked: string, vanity: string | null): string {
  return vanity !== null && code.test(vanity) && vanity.toLowerCase() === asked.toLowerCase() ? vanity : asked
}

export const inviteAddress = (canonical: string): string => `https://discord.gg/${canonical}`
