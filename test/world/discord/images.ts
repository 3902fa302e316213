import { escapeHtml, text, type Answer, type Call } from '../http.ts'
import { findGuild, TRUSTED_GUILD_ID } from './guilds.ts'
import { classIcon, commonsIcon } from './icons.ts'
import { words } from './numbers.ts'
import { PERSONAS } from './personas.ts'

const svg = (size: number, body: string): Answer => ({
  status: 200,
  headers: { 'content-type': 'image/svg+xml', 'cache-control': 'public, max-age=31536000' },
  body: `<svg xmlns="http://www.w3.org/2000/svg" width="${size}" height="${size}" viewBox="0 0 ${size} ${size}">${body}</svg>`,
})

function picture(seed: string, letters: string, isRound: boolean): Answer {
  const figure = words(seed)
  const size = letters.length > 2 ? 42 : 54
  // No green, because on our pages that means a free seat.
  const hue = 190 + (figure(0) % 210)
  const shape = isRound
    ? '<circle cx="64" cy="64" r="64" fill="url(#c)"/>'
    : '<rect width="128" height="128" fill="url(#c)"/>'
  return svg(
    128,
    `<defs><linearGradient id="c" x2="1" y2="1"><stop stop-color="hsl(${hue} 55% 45%)"/><stop offset="1" stop-color="hsl(${hue + 50} 60% 32%)"/></linearGradient></defs>${shape}<text x="64" y="66" fill="#fff" font-family="system-ui,sans-serif" font-size="${size}" font-weight="600" text-anchor="middle" dominant-baseline="middle">${escapeHtml(letters)}</text>`,
  )
}

const initials = (name: string): string =>
  name
    .split(/\s+/)
    .slice(0, 2)
    .map((word) => word[0] ?? '')
    .join('')

/** The image host: avatars, server icons, and default avatars. They are drawn, and therefore sharp at any size. */
export function answerImage(call: Call): Answer {
  if (call.method !== 'GET' && call.method !== 'HEAD') return text('Method not allowed', 405)
  const [, kind, id = '', file = ''] = /^\/(avatars|icons)\/(\d+)\/(\w+)\.(?:png|webp|jpg|gif)$/.exec(call.path) ?? []
  if (kind === 'avatars') {
    const persona = PERSONAS.find((candidate) => candidate.id === id && candidate.avatar === file)
    if (persona) return picture(file, initials(persona.displayName), true)
  }
  if (kind === 'icons') {
    const guild = findGuild(id)
    if (guild?.icon !== file) return text('Not found', 404)
    const icon = id === TRUSTED_GUILD_ID ? commonsIcon : classIcon(guild.for?.className ?? '')
    return icon === null ? picture(file, initials(guild.name), false) : svg(48, icon)
  }
  const usual = /^\/embed\/avatars\/([0-5])\.png$/.exec(call.path)?.[1]
  return usual === undefined ? text('Not found', 404) : picture(`usual ${usual}`, '☺', true)
}
