import { and, eq, sql } from 'drizzle-orm'
import { isIn } from '../../db/json-argument.ts'
import { type Query, query, readFirst, writeTogether } from '../../db/query.ts'
import { contact, course, recipient, section, watch } from '../../db/schema/index.ts'
import { DAY_MS, isTimeZone } from '../../lib/time.ts'
import { type Actor, auditEntry } from '../../web/audit.ts'
import { positiveInteger, textField } from '../../web/parse.ts'
import { unprocessable } from '../../web/refusal.ts'
import { advanceNextWave } from '../alerts/fair-turns.ts'
import { nameOf } from '../courses/section-row.ts'
import type { Change } from '../deliveries/change-notices.ts'
import { isUndoable, stopAllMessages } from '../deliveries/opt-out.ts'
import { lookAtHeld } from '../deliveries/wake-held.ts'
import { clockText, minutesOf, quietTimeAt } from '../recipients/quiet-time.ts'
import { deleteContact } from '../recipients/remove-recipient.ts'
import { auditWatch } from '../watches/audit-watch.ts'
import { deleteWatch } from '../watches/remove-watched-section.ts'
import type { Owner } from './read-own-page.ts'

/** The choices of a pause, in days. */
export const pauseDays = [1, 7, 30] as const

/** A change that a recipient makes on their own page, and who makes the request. */
export interface OwnChange {
  owner: Owner
  actor: Actor
  now: number
}

export interface Changed {
  /** The sentence that the page shows afterwards. */
  message: string
  /** Reported to the recipient's contacts, because anyone with the link could have made the change. */
  reported?: Change
  /** The contacts that were just turned off; the report is the last message they get. */
  switchedOff?: number[]
}

/**
 * An action of a form in a part of the page. One that ends messages and cannot be repeated on this page alone is not
 * limited; after one that begins messages, people expect some.
 */
interface OwnAct {
  run: (db: D1Database, change: OwnChange, form: FormData) => Promise<Changed>
  part: string
  endsMessages?: true
  beginsMessages?: true
}

const ownActs: ReadonlyMap<string, OwnAct> = new Map<string, OwnAct>([
  ['contacts', { run: chooseContacts, part: 'contacts', beginsMessages: true }],
  ['remove', { run: removeDevice, part: 'contacts', beginsMessages: true }],
  ['quiet', { run: chooseQuietHours, part: 'quiet' }],
  ['pause', { run: pause, part: 'pause' }],
  ['resume', { run: resume, part: 'pause', beginsMessages: true }],
  ['stop', { run: stop, part: 'stop', endsMessages: true }],
  ['start', { run: start, part: 'stop', beginsMessages: true }],
  ['unwatch', { run: unwatch, part: 'watched', endsMessages: true }],
])

/** The action of a form, by its field `act`. The buttons that remove a device are in the form of the contacts. */
export function ownActOf(form: FormData): OwnAct | undefined {
  const act = textField(form, 'act')
  return ownActs.get(act === 'contacts' && Number(textField(form, 'remove')) > 0 ? 'remove' : act)
}

/** Changes which contacts are used, when texts are sent and whether to remind. */
async function chooseContacts(db: D1Database, change: OwnChange, form: FormData): Promise<Changed> {
  const { owner, now } = change
  const idsOf = (name: string) => form.getAll(name).flatMap((id) => positiveInteger(String(id)) ?? [])
  const [shown, wanted] = [idsOf('contact'), idsOf('use')]
  const choices = {
    isReminded: form.has('is_reminded'),
    // The form asks this only of recipients with a phone and a device.
    ...(form.has('sms') && { isSmsAtOnce: textField(form, 'sms') === 'at_once' }),
  }
  const off = shown.filter((id) => !wanted.includes(id))
  const isOther =
    choices.isReminded !== owner.is_reminded || (choices.isSmsAtOnce ?? owner.is_sms_at_once) !== owner.is_sms_at_once
  const differs = sql`${Number(isOther)} OR EXISTS (SELECT 1 FROM ${contact} WHERE ${contact.recipientId} = ${owner.id}
    AND ${isIn(contact.id, shown)} AND ${contact.isEnabled} <> (${isIn(contact.id, wanted)}))`
  const [switchedOff] = await writeTogether(db, [
    query
      .select({ id: contact.id })
      .from(contact)
      .where(sql`${contact.recipientId} = ${owner.id} AND ${contact.isEnabled} AND ${isIn(contact.id, off)}`),
    audit(
      change,
      'changed',
      { contacts_on: wanted, is_reminded: choices.isReminded, is_sms_at_once: choices.isSmsAtOnce },
      differs,
    ),
    query
      .update(contact)
      .set({ isEnabled: isIn(contact.id, wanted) })
      .where(sql`${contact.recipientId} = ${owner.id} AND ${isIn(contact.id, shown)}`),
    query.update(recipient).set(choices).where(eq(recipient.id, owner.id)),
    ...(choices.isReminded ? [] : [query.update(watch).set({ remindAt: null }).where(eq(watch.recipientId, owner.id))]),
    lookAtHeld(owner.id, now),
  ])
  const ids = switchedOff.rows.map(({ id }) => id)
  return { message: 'Your choices are saved.', ...(ids.length > 0 && { reported: 'switched_off', switchedOff: ids }) }
}

async function removeDevice(db: D1Database, change: OwnChange, form: FormData): Promise<Changed> {
  const { owner } = change
  const contactId = Number(textField(form, 'remove'))
  const isOwnDevice = and(eq(contact.id, contactId), eq(contact.recipientId, owner.id), eq(contact.kind, 'push'))
  const device = await readFirst(db, query.select({ device: contact.device }).from(contact).where(isOwnDevice))
  if (!device) return { message: 'This device was already removed.' }
  await writeTogether(db, [audit(change, 'removed a device', { device: device.device }), ...deleteContact(contactId)])
  const message =
    'That device won’t get notifications anymore. This page has a new link. Bookmark it; the old one no longer works.'
  return { message, reported: 'device_removed' }
}

const noQuietHours = { quietFrom: null, quietUntil: null, quietStartsAt: null, quietEndsAt: null }

/** Empty times remove the quiet hours. @throws unprocessable */
async function chooseQuietHours(db: D1Database, change: OwnChange, form: FormData): Promise<Changed> {
  const { owner, now } = change
  const hours = quietHoursIn(form, now)
  // The form asks this only of recipients with a device.
  const silence = form.has('push') ? { isPushSilent: form.getAll('push').includes('silent') } : {}
  const text = hours && `${clockText(hours.quietFrom)} to ${clockText(hours.quietUntil)}, ${hours.timeZone}`
  const hasOtherHours =
    owner.quiet_from !== (hours?.quietFrom ?? null) ||
    owner.quiet_until !== (hours?.quietUntil ?? null) ||
    (hours !== null && owner.time_zone !== hours.timeZone)
  const isOther = hasOtherHours || (silence.isPushSilent ?? owner.is_push_silent) !== owner.is_push_silent
  await writeTogether(db, [
    query
      .update(recipient)
      .set({ ...(hours ?? noQuietHours), ...silence })
      .where(eq(recipient.id, owner.id)),
    lookAtHeld(owner.id, now),
    ...(isOther ? [audit(change, 'changed', { quiet_hours: text })] : []),
  ])
  if (!hours) return { message: 'Quiet hours are off.' }
  return { message: 'Your quiet hours are saved.', ...(hasOtherHours && { reported: 'quiet_hours' }) }
}

/** The posted quiet hours as columns of the recipient; null if both times are empty. @throws unprocessable */
function quietHoursIn(form: FormData, now: number) {
  const texts = [textField(form, 'from'), textField(form, 'until')] as const
  if (texts.every((text) => text === '')) return null
  const [from, until] = [minutesOf(texts[0]), minutesOf(texts[1])]
  const timeZone = textField(form, 'time_zone')
  if (from === null || until === null || from === until)
    throw unprocessable('Choose two different times, such as 10:00 PM and 7:00 AM.')
  if (!isTimeZone(timeZone)) throw unprocessable('Choose a time zone from the list.')
  const { starts_at, ends_at } = quietTimeAt({ from, until, timeZone }, now)
  return { quietFrom: from, quietUntil: until, timeZone, quietStartsAt: starts_at, quietEndsAt: ends_at }
}

async function pause(db: D1Database, change: OwnChange, form: FormData): Promise<Changed> {
  const { owner, now } = change
  const days = pauseDays.find((choice) => String(choice) === textField(form, 'days'))
  if (days === undefined) throw unprocessable('Choose how long to pause.')
  await writeTogether(db, [
    query
      .update(recipient)
      .set({ pausedUntil: now + days * DAY_MS })
      .where(eq(recipient.id, owner.id)),
    audit(change, 'paused', { days }),
  ])
  return { message: 'Messages are paused.', ...(days > 1 && { reported: 'paused' }) }
}

async function resume(db: D1Database, change: OwnChange): Promise<Changed> {
  const { owner, now } = change
  await writeTogether(db, [
    query.update(recipient).set({ pausedUntil: null }).where(eq(recipient.id, owner.id)),
    lookAtHeld(owner.id, now),
    ...(owner.paused_until === null ? [] : [audit(change, 'resumed', {})]),
  ])
  return { message: 'Messages are no longer paused.' }
}

/** No more messages to any of the addresses. */
async function stop(db: D1Database, { owner, actor, now }: OwnChange): Promise<Changed> {
  await writeTogether(db, stopAllMessages(owner.id, { ...actor, who: 'the recipient' }, now))
  return { message: 'Done. You won’t get any more class alerts.', reported: 'stopped' }
}

/** Ends the watch of one class. Staff can start it again, and so can a link in one of its messages. */
async function unwatch(db: D1Database, { owner, actor, now }: OwnChange, form: FormData): Promise<Changed> {
  const sectionId = Number(textField(form, 'section_id'))
  const isWatched = sql`EXISTS (SELECT 1 FROM ${watch} WHERE ${watch.recipientId} = ${owner.id}
    AND ${watch.sectionId} = ${section.id} AND ${watch.archivedAt} IS NULL)`
  const [found] = await writeTogether(db, [
    query
      .select({ course_code: course.code, course_level: course.level, section_code: section.section })
      .from(section)
      .innerJoin(course, eq(course.id, section.courseId))
      .where(and(eq(section.id, sectionId), isWatched)),
    auditWatch({ ...actor, who: 'the recipient' }, 'deleted', { recipientId: owner.id, sectionId }, now),
    ...deleteWatch({ recipientId: owner.id, sectionId }, now),
    ...advanceNextWave(owner.id, sectionId, now),
  ])
  const [ended] = found.rows
  if (!ended) return { message: 'We had already stopped watching this class for you.' }
  return { message: `We no longer watch ${nameOf(ended)} for you.`, reported: 'unwatched' }
}

/** Undoes stops of all messages. An address that stopped its own is left alone; the page says how it gets them again. */
async function start(db: D1Database, change: OwnChange): Promise<Changed> {
  const isStopped = sql`${contact.recipientId} = ${change.owner.id} AND ${isUndoable}`
  const [, started] = await writeTogether(db, [
    audit(change, 'asked for messages again', {}, sql`EXISTS (SELECT 1 FROM ${contact} WHERE ${isStopped})`),
    // A trigger forgets the opt-outs of their addresses.
    query.update(contact).set({ optedOutAt: null }).where(isStopped),
  ])
  const isChange = started.changes > 0
  return { message: isChange ? 'Messages are no longer stopped.' : 'There is nothing to turn on again on this page.' }
}

/**
 * The audit entry for what was done on a recipient's own page or with its link.
 * @param isChange whether it changes anything: entries are kept forever, and a request can be repeated endlessly
 */
export function audit(
  { owner, actor, now }: OwnChange,
  act: string,
  after: Readonly<Record<string, unknown>>,
  isChange = sql`true`,
): Query {
  const [key, title] = [String(owner.id), owner.name]
  const entry = { act, area: 'class_tracker', table: 'recipient', key, title, after, isChange }
  return auditEntry({ ...actor, who: 'the recipient' }, entry, now)
}
