import { escapeHtml, formOf, type Answer, type Call } from '../http.ts'
import type { DeviceRecord } from '../push/device.ts'
import { report } from '../push/report.ts'
import { subscribePhone } from '../push/subscribe.ts'
import type { NotificationRecord, World } from '../world.ts'
import { clockTime, hidden, seeOther } from './layout.ts'

const MOST_SHOWN = 6

function notification(one: NotificationRecord): string {
  const open = one.openedAt === null ? 'Open' : 'Open again'
  return `<div class="bubble"><span class="app">${escapeHtml(hostOf(one.url))}${clockTime(one.at)}</span><b>${escapeHtml(one.title)}</b><br>${escapeHtml(one.body)}
<form method="post" action="/phones/open">${hidden({ id: one.id })}<button>${open}</button></form></div>`
}

/** The sender's name, as phones show it. */
const hostOf = (url: string): string => URL.parse(url)?.host ?? ''

function lockScreen(world: World, device: DeviceRecord): string {
  const its = world.notifications.filter(({ deviceId }) => deviceId === device.id).slice(-MOST_SHOWN)
  const off = device.isGone
    ? '<span class="muted">notifications are off</span>'
    : `<form method="post" action="/phones/off">${hidden({ id: device.id })}<button>Turn notifications off</button></form>`
  return `<section class="phone locked" id="device-${device.id}" aria-label="Lock screen of ${escapeHtml(device.name)}">
<header><span class="clock">${new Date(world.now()).toLocaleTimeString('en-GB', { timeStyle: 'short' })}</span>${escapeHtml(device.name)}<span class="muted">lock screen</span></header>
<div class="talk" tabindex="0" role="log" aria-label="Notifications, newest first">${its.toReversed().map(notification).join('')}</div>
${off}</section>`
}

/** Every device that receives notifications, the newest first. */
export function lockScreens(world: World): string {
  return world.devices
    .slice(-12)
    .toReversed()
    .map((device) => lockScreen(world, device))
    .join('')
}

/** The form that opens the app's link on a phone. */
export function linkForm(): string {
  return `<h2>Get push notifications on another phone</h2>
<form class="row" method="post" action="/phones/link"><label>Link <input name="link" type="url" required placeholder="an invitation, /r/…" autocomplete="off"></label><label>Phone <input name="name" value="Chrome on Android" required></label><button>Open it there</button></form>`
}

export async function openLinkOnPhone(world: World, call: Call): Promise<Answer> {
  const form = formOf(call)
  const fault = await subscribePhone(world, form.get('link') ?? '', form.get('name') ?? 'Phone')
  return seeOther('/', fault === '' ? { text: 'That phone gets notifications now.' } : { text: fault, bad: true })
}

/** A person taps a notification: the device reports it and shows the page. */
export async function openNotification(world: World, call: Call): Promise<Answer> {
  const id = formOf(call).get('id')
  const found = world.notifications.find((one) => one.id === id)
  if (!found) return seeOther('/', { text: 'There is no such notification.', bad: true })
  await report(world, found, 'opened')
  return { status: 303, headers: { location: found.url }, body: '' }
}

export function turnOff(world: World, call: Call): Answer {
  const id = formOf(call).get('id')
  const device = world.devices.find((one) => one.id === id)
  if (!device) return seeOther('/', { text: 'There is no such phone.', bad: true })
  device.isGone = true
  world.changed()
  return seeOther('/', { text: `${device.name} takes no more notifications.` })
}
