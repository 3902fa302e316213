import { escapeHtml, html, type Answer } from '../http.ts'
import type { World } from '../world.ts'

const PLACES = [
  ['/', 'Phones'],
  ['/mailbox', 'Mailbox'],
  ['/chat', 'Discord'],
  ['/catalog', 'Schools'],
  ['/faults', 'Faults'],
  ['/requests', 'Requests'],
] as const

/** The result of the last action, shown once on the page that follows it. */
export interface Notice {
  text: string
  bad?: boolean
}

/** One page of the world, `content` being HTML. */
export function page(
  world: World,
  here: string,
  title: string,
  content: string,
  notice: Notice | null = null,
  status = 200,
): Answer {
  const links = PLACES.map(
    ([path, name]) => `<a href="${path}"${path === here ? ' aria-current="page"' : ''}>${name}</a>`,
  )
  const said = notice ? `<p class="note${notice.bad ? ' bad' : ''}" role="status">${escapeHtml(notice.text)}</p>` : ''
  return html(
    `<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)} · The local world</title><link rel="stylesheet" href="/world.css"><link rel="icon" href="data:,">
<script src="/world.js" defer></script></head>
<body><a class="skip" href="#main">Skip to the content</a>
<header><nav aria-label="The local world"><b>The local world</b>${links.join('')}<a class="app" href="${escapeHtml(world.options.appUrl)}/">Open the app</a></nav></header>
<main id="main"><h1>${escapeHtml(title)}</h1>
${said}${content}
</main></body></html>`,
    status,
  )
}

/** Redirects the browser back to a page of ours, with a notice in the address. */
export function seeOther(path: string, notice: Notice): Answer {
  const [address = '/', hash] = path.split('#')
  const url = new URL(address.startsWith('/') && !address.startsWith('//') ? address : '/', 'http://world')
  url.searchParams.delete('bad')
  url.searchParams.set(notice.bad ? 'bad' : 'said', notice.text)
  if (notice.bad) url.searchParams.delete('said')
  return { status: 303, headers: { location: url.pathname + url.search + (hash ? `#${hash}` : '') }, body: '' }
}

export function noticeOf(query: URLSearchParams): Notice | null {
  const [said, bad] = [query.get('said'), query.get('bad')]
  return bad !== null ? { text: bad, bad: true } : said !== null ? { text: said } : null
}

/** The local time of this machine, with the exact time on hover. */
export function clockTime(at: number): string {
  const moment = new Date(at)
  return `<time datetime="${moment.toISOString()}" title="${moment.toISOString()}">${moment.toLocaleTimeString('en-GB')}</time>`
}

/** Escaped text whose web addresses are links. */
export function linked(text: string): string {
  const parts = text.split(/(https?:\/\/[^\s<>"]*[^\s<>".,;)])/)
  return parts
    .map((part, index) =>
      index % 2 === 1 ? `<a href="${escapeHtml(part)}">${escapeHtml(part)}</a>` : escapeHtml(part),
    )
    .join('')
}

export function hidden(fields: Record<string, string>): string {
  return Object.entries(fields)
    .map(([name, value]) => `<input type="hidden" name="${name}" value="${escapeHtml(value)}">`)
    .join('')
}
