import type { Block, EmailContent } from '../email/email-content.ts'
import { type CleanAlert, eventOf, eventOfSeveral, joined, seatsText, subjectLine } from './alert-facts.ts'

/** The sender, and links besides those of the alerts. */
export interface AlertEmailContext {
  product_name: string
  /** The message's own page, `/s/{code}`. */
  link: string
  recipient_url: string | null
  unsubscribe_url: string | null
}

/** The most alerts shown in full: email apps cut off messages over 100 KB. */
const MAX_IN_FULL = 10
const MAX_NAMED = 100

export function alertEmail(alerts: readonly CleanAlert[], context: AlertEmailContext): EmailContent {
  const inFull = alerts.slice(0, MAX_IN_FULL)
  const [only] = inFull
  const blocks = inFull.flatMap((alert, place): Block[] => [
    ...(place > 0 ? [{ kind: 'rule' } as const] : []),
    ...blocksOf(alert, context.link),
  ])
  return {
    site: context.product_name,
    subject: subjectLine(alerts),
    preview: alerts.length === 1 && only ? previewOf(only) : eventOfSeveral(alerts),
    blocks: [...blocks, ...others(alerts)],
    footer: {
      text:
        alerts.length === 1
          ? 'You’re getting this email because we watch this class for you.'
          : 'You asked us to watch these classes.',
      links: [
        ...(context.recipient_url === null ? [] : [{ label: 'What we watch for you', url: context.recipient_url }]),
        ...(context.unsubscribe_url === null ? [] : [{ label: 'Unsubscribe', url: context.unsubscribe_url }]),
      ],
    },
  }
}

function blocksOf(alert: CleanAlert, link: string): Block[] {
  const facts = [
    { name: 'When', value: alert.when },
    { name: 'Where', value: alert.where },
    { name: 'With', value: alert.instructors },
  ].filter(({ value }) => value !== '')
  const lead = joined([alert.title, alert.school, alert.term], ', ')
  const seats = seatsText(alert)
  return [
    { kind: 'headline', badge: eventOf(alert), text: alert.name || alert.title || alert.number, lead },
    ...(seats === '' && alert.checked === ''
      ? []
      : [
          {
            kind: 'seats',
            available: alert.seats_available,
            capacity: alert.capacity,
            text: seats,
            note: alert.checked,
          } as const,
        ]),
    ...(alert.number === '' ? [] : [{ kind: 'number', label: alert.label, value: alert.number } as const]),
    ...(alert.register_url === null ? [] : [registerButton(alert, alert.register_url)]),
    pageLinks(link),
    ...(facts.length === 0 ? [] : [{ kind: 'facts', facts } as const]),
  ]
}

function registerButton({ school }: CleanAlert, url: string): Block {
  return { kind: 'button', label: school === '' ? 'Register' : `Register at ${school}`, url, isAddressShown: false }
}

/** Both lead to the same page. Opening a link changes nothing, because email filters open all links. */
function pageLinks(link: string): Block {
  return {
    kind: 'links',
    links: [
      { label: 'Is it still open?', url: link },
      { label: 'I got the seat', url: `${link}#got-it` },
    ],
  }
}

function previewOf(alert: CleanAlert): string {
  const number = joined([alert.label, alert.number], ' ')
  return joined(
    [joined([number, seatsText(alert)], ', '), alert.register_url && alert.school ? `Register at ${alert.school}` : ''],
    '. ',
  )
}

/** The alerts after the first ones, one line each. */
function others(alerts: readonly CleanAlert[]): Block[] {
  const named = alerts.slice(MAX_IN_FULL, MAX_NAMED)
  const lines = named.map((alert) =>
    joined([alert.name, alert.title, joined([alert.label, alert.number], ' '), seatsText(alert)], ', '),
  )
  if (alerts.length > MAX_NAMED) lines.push(`+${alerts.length - MAX_NAMED} more`)
  return lines.map((text) => ({ kind: 'paragraph', text }))
}
