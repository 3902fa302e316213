import { escapeHtml, formOf, type Answer, type Call } from '../http.ts'
import { receiveReply } from '../sms/replies.ts'
import type { SmsRecord, World } from '../world.ts'
import { schoolCards } from './catalog.ts'
import { lettersTable } from './letters.ts'
import { linkForm, lockScreens } from './lock-screens.ts'
import { clockTime, hidden, linked, noticeOf, page, seeOther } from './layout.ts'
import { switches } from './switches.ts'

const FATES: Partial<Record<SmsRecord['status'], string>> = {
  queued: 'on its way',
  sent: 'on its way',
  undelivered: 'not delivered',
}

function bubble(message: SmsRecord): string {
  const effect = FATES[message.status]
  return `<div class="bubble${message.direction === 'inbound' ? ' mine' : ''}">${linked(message.body)}${clockTime(message.at)}${effect ? `<span class="muted">${effect}</span>` : ''}</div>`
}

function phone(world: World, number: string, messages: readonly SmsRecord[]): string {
  const id = `phone-${number.slice(1)}`
  const stopped = world.optedOut.has(number) ? '<span class="muted">said STOP</span>' : ''
  return `<section class="phone" id="${id}" aria-label="Phone ${escapeHtml(number)}">
<header>${escapeHtml(number)}${stopped}</header>
<div class="talk" tabindex="0" role="log" aria-label="Messages, newest last">${messages.toReversed().map(bubble).join('')}</div>
<form method="post" action="/phones/reply">${hidden({ from: number })}<input name="body" aria-label="Reply" placeholder="Reply, e.g. STOP" required autocomplete="off"><button class="primary">Send</button></form>
</section>`
}

/** Every phone that has received or sent anything, the latest first; below them the rest of the world in short. */
export function phonesPage(world: World, call: Call): Answer {
  const byPhone = Map.groupBy(world.messages, (message) =>
    message.direction === 'inbound' ? message.from : message.to,
  )
  const phones = [...byPhone].toSorted(([, a], [, b]) => (b.at(-1)?.at ?? 0) - (a.at(-1)?.at ?? 0)).slice(0, 24)
  const empty = `<p class="card">No phone has a message yet. <a href="${escapeHtml(world.options.appUrl)}/class_tracker/add_classes">Watch a full section in the app</a>, then <a href="/catalog">open a seat at its school</a>: the message arrives here.</p>`
  return page(
    world,
    '/',
    'Phones',
    `<p class="lead">What people outside see: texts and notifications as they arrive. Reply to a text, or say STOP and START.</p>
<div data-live><div class="grid">${phones.map(([number, messages]) => phone(world, number, messages)).join('') + lockScreens(world) || empty}</div>
<h2>Newest mail</h2>${lettersTable(world, 3)}</div>
${linkForm()}
<h2>Text the app from another phone</h2>
<form class="row" method="post" action="/phones/reply"><label>Number <input name="from" value="+12025550143" required pattern="\\+[0-9]{8,15}"></label><label>Message <input name="body" required autocomplete="off"></label><button>Send</button></form>
<h2 id="schools">Schools</h2><div class="grid">${schoolCards(world, '/#schools')}</div>
<h2>Faults</h2>${switches(world)}`,
    noticeOf(call.url.searchParams),
  )
}

export async function replyFromPhone(world: World, call: Call): Promise<Answer> {
  const form = formOf(call)
  const [from, body] = [form.get('from') ?? '', form.get('body') ?? '']
  if (!/^\+\d{8,15}$/.test(from) || body === '')
    return seeOther('/', { text: 'A number like +12025550143 and a message, please.', bad: true })
  const { status, error } = await receiveReply(world, from, body)
  if (status === null) return seeOther('/', { text: `The app did not take the reply: ${error}`, bad: true })
  return seeOther(`/#phone-${from.slice(1)}`, {
    text: `${from} wrote “${body}”. The app answered ${status}.`,
    bad: status >= 400,
  })
}
