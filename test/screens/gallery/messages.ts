import type { Statement } from '../../browser/app.ts'
import { randomFrom } from '../../world/random.ts'
import { contactId, noMailbox, noNumber, people, type Person } from './people.ts'
import type { WatchedSeat } from './seats.ts'

const minuteMs = 60_000

interface Message {
  state: string
  error?: string
  attempts?: number
  /** Time after the seat was seen, in ms; absent if it did not happen. */
  accepted?: number
  delivered?: number
  seen?: readonly [after: number, by: string]
}

interface Opening {
  seat: WatchedSeat
  section: number
  at: number
}

/** Every opening of the seats, oldest first. */
function openingsOf(sections: ReadonlyMap<WatchedSeat, number>, now: number): Opening[] {
  return [...sections]
    .flatMap(([seat, section]) => seat.opened.map((minutes) => ({ seat, section, at: now - minutes * minuteMs })))
    .toSorted((one, other) => one.at - other.at)
}

/** Openings, who was notified of each, and the outcome of every message. */
export function messagesSql(sections: ReadonlyMap<WatchedSeat, number>, now: number): Statement[] {
  const random = randomFrom('messages')
  const statements: Statement[] = []
  let alert = 0
  let delivery = 0
  for (const [index, { seat, section, at }] of openingsOf(sections, now).entries()) {
    const opening = index + 1
    const poll = `gallery-${opening}`
    statements.push({
      text: 'INSERT INTO opening (id, section_id, version, poll_id, last_closed_at, seen_open_at) VALUES (?, ?, ?, ?, ?, ?)',
      values: [opening, section, opening, poll, at - random.between(8, 15) * 1000, at],
    })
    for (const person of people.filter(({ id }) => seat.watchers.includes(id))) {
      alert += 1
      statements.push({
        text: `INSERT INTO class_alert (id, opening_id, recipient_id, section_id, kind, created_at, poll_id)
          VALUES (?, ?, ?, ?, 'opening', ?, ?)`,
        values: [alert, opening, person.id, section, at, poll],
      })
      const wasShown = random.chance(0.7)
      for (const [place, { kind, address }] of person.addresses.entries()) {
        delivery += 1
        const message = messageOf(person, place, { wasShown, isNow: now - at < 10 * minuteMs, random })
        statements.push(...deliverySql(message, { delivery, alert, poll, person, place, kind, address, at }))
      }
    }
  }
  return statements
}

type Random = ReturnType<typeof randomFrom>

interface Day {
  /** Whether the person saw the notification. */
  wasShown: boolean
  /** The message was sent a moment ago. */
  isNow: boolean
  random: Random
}

function messageOf(person: Person, place: number, { wasShown, isNow, random }: Day): Message {
  const address = person.addresses[place]
  const accepted = random.between(420, 1900)
  const hasDevice = person.addresses.some(({ kind }) => kind === 'push')
  if (address?.broken === noNumber) return { state: 'failed', error: 'The message was undelivered (Twilio 30006).' }
  if (address?.broken === noMailbox) return { state: 'failed', error: noMailbox }
  if (address?.kind === 'push') {
    const shown = accepted + random.between(300, 1400)
    if (!wasShown) return { state: 'sent', accepted }
    const opened = shown + random.between(3000, 60_000)
    return random.chance(0.6)
      ? { state: 'opened', accepted, delivered: shown, seen: [shown, 'opened'] }
      : { state: 'delivered', accepted, delivered: shown, seen: [opened, 'got_it'] }
  }
  if (address?.kind === 'phone') {
    if (hasDevice && wasShown) return { state: 'not_needed' }
    const late = hasDevice ? 20_000 : 0
    if (isNow) return { state: 'sent', accepted: accepted + late }
    const delivered = accepted + late + random.between(1800, 7400)
    return random.chance(0.35)
      ? { state: 'delivered', accepted: accepted + late, delivered, seen: [delivered + 41_000, 'copied'] }
      : { state: 'delivered', accepted: accepted + late, delivered }
  }
  if (address?.kind === 'discord' && random.chance(0.12))
    return { state: 'failed', error: 'Discord answered with status 404: the webhook is gone.', attempts: 2 }
  if (address?.kind === 'email')
    return { state: 'delivered', accepted, delivered: accepted + random.between(900, 5200) }
  return { state: 'sent', accepted }
}

interface Sent {
  delivery: number
  alert: number
  poll: string
  person: Person
  place: number
  kind: string
  address: string
  /** When the seat was seen. */
  at: number
}

function deliverySql(message: Message, sent: Sent): Statement[] {
  const { delivery, alert, poll, person, place, kind, address, at } = sent
  const { state, error = null, attempts = 1, accepted, delivered, seen } = message
  const after = (milliseconds: number | undefined): number | null =>
    milliseconds === undefined ? null : at + milliseconds
  const row = {
    id: delivery,
    poll_id: poll,
    recipient_id: person.id,
    contact_id: contactId(person, place),
    channel: kind,
    address,
    state,
    attempts: state === 'not_needed' ? 0 : attempts,
    due_at: at,
    created_at: at,
    accepted_at: after(accepted),
    delivered_at: after(delivered),
    last_error: error,
    link_code: `gallery${String(delivery).padStart(3, '0')}`,
    seen_at: after(seen?.[0]),
    seen_by: seen?.[1] ?? null,
    opened_at: after(seen?.[0]),
  }
  const columns = Object.keys(row)
  return [
    {
      text: `INSERT INTO delivery (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`,
      values: Object.values(row),
    },
    { text: 'INSERT INTO delivery_alert (delivery_id, alert_id) VALUES (?, ?)', values: [delivery, alert] },
  ]
}
