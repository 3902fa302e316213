import { escapeHtml, type Answer, type Call } from '../http.ts'
import type { World } from '../world.ts'
import { clockTime, linked, noticeOf, page } from './layout.ts'

/** What Discord shows of a message: its text, and cards below it. */
interface Post {
  content?: string
  embeds?: { title?: string; fields?: { name: string; value: string }[]; footer?: { text: string } }[]
}

/** The newest emails, at most `most`. */
export function lettersTable(world: World, most: number): string {
  const rows = world.emails
    .toReversed()
    .slice(0, most)
    .map(
      (email) =>
        `<tr><td data-label="To">${escapeHtml(email.to.join(', '))}</td><td data-label="Subject"><a href="/mailbox/${email.id}">${escapeHtml(email.subject)}</a></td><td data-label="At">${clockTime(email.at)}</td></tr>`,
    )
  return rows.length === 0
    ? '<p class="card">No mail yet.</p>'
    : `<table><thead><tr><th>To</th><th>Subject</th><th>At</th></tr></thead><tbody>${rows.join('')}</tbody></table>`
}

export function mailboxPage(world: World, call: Call): Answer {
  return page(
    world,
    '/mailbox',
    'Mailbox',
    `<p class="lead">Every email the app has sent, to anyone.</p><div data-live>${lettersTable(world, 100)}</div>`,
    noticeOf(call.url.searchParams),
  )
}

/** One email; its HTML is shown in a frame that can run nothing. */
export function letterPage(world: World, id: string): Answer {
  const email = world.emails.find((candidate) => candidate.id === id)
  if (!email)
    return page(world, '/mailbox', 'No such email', '<p><a href="/mailbox">Back to the mailbox</a></p>', null, 404)
  const headers = Object.entries(email.headers).map(([name, value]) => `<br>${escapeHtml(name)}: ${linked(value)}`)
  const framed = email.html
    ? `<h2>As an email app shows it</h2><iframe title="The email" sandbox="allow-popups allow-top-navigation-by-user-activation" srcdoc="${escapeHtml(`<base target="_top">${email.html}`)}"></iframe>`
    : ''
  return page(
    world,
    '/mailbox',
    email.subject,
    `<div class="letter"><p class="muted">From ${escapeHtml(email.from)} to ${escapeHtml(email.to.join(', '))} at ${clockTime(email.at)}${headers.join('')}</p>
${framed}<h2>As plain text</h2><pre>${linked(email.text)}</pre><p><a href="/mailbox">Back to the mailbox</a></p></div>`,
  )
}

export function chatPage(world: World, call: Call): Answer {
  const shown = (body: unknown): string => {
    const { content = '', embeds = [] } = (typeof body === 'object' ? (body ?? {}) : {}) as Post
    if (content === '' && embeds.length === 0) return JSON.stringify(body, null, 2)
    const cards = embeds.map(({ title = '', fields = [], footer }) =>
      [title, ...fields.map(({ name, value }) => `${name}: ${value}`), footer?.text ?? ''].join('\n'),
    )
    return [content, ...cards].filter((part) => part !== '').join('\n\n')
  }
  const posts = world.posts
    .toReversed()
    .slice(0, 100)
    .map(
      (post) =>
        `<div class="card"><p class="muted">${escapeHtml(post.url)} · ${clockTime(post.at)}</p><pre>${linked(shown(post.body))}</pre></div>`,
    )
  return page(
    world,
    '/chat',
    'Discord channels',
    `<p class="lead">What the app posted to webhooks. Any address of the form /discord/api/webhooks/ID/TOKEN takes messages; a token beginning with “deleted” does not.</p><div class="grid" data-live>${posts.join('') || '<p class="card">Nothing posted yet.</p>'}</div>`,
    noticeOf(call.url.searchParams),
  )
}

export function requestsPage(world: World, call: Call): Answer {
  const rows = world.requests
    .slice(-200)
    .toReversed()
    .map(
      ({ service, method, path, at }) =>
        `<tr><td data-label="At">${clockTime(at)}</td><td data-label="Service">${escapeHtml(service)}</td><td data-label="Request">${method} ${escapeHtml(path.length > 160 ? `${path.slice(0, 160)}…` : path)}</td></tr>`,
    )
  const counts = Map.groupBy(
    world.requests.filter(({ at }) => at > world.now() - 60_000),
    ({ service }) => service,
  )
  const last =
    [...counts].map(([service, requests]) => `${escapeHtml(service)} ${requests.length}`).join(' · ') || 'none'
  return page(
    world,
    '/requests',
    'Requests',
    `<p class="lead">What the app asked of the outside. In the last minute: ${last}.</p><div data-live><table><thead><tr><th>At</th><th>Service</th><th>Request</th></tr></thead><tbody>${rows.join('')}</tbody></table></div>`,
    noticeOf(call.url.searchParams),
  )
}
