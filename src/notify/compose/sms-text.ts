import { countSegments } from '../sms/segments.ts'
import { gsmText } from '../sms/transliterate.ts'
import { type CleanAlert, eventOf, eventOfSeveral, joined } from './alert-facts.ts'
import { preventAutolinks, withoutAddresses } from './prevent-autolinks.ts'

interface SmsContext {
  product_name: string
  link: string
  /** Whether it is the first SMS to a number; that one says how to stop. */
  is_first: boolean
}

/** The fewest characters of a shortened title; fewer would only confuse. */
const MIN_TITLE = 4

/**
 * The alerts as one SMS segment in the 7-bit alphabet, provided that the link's host has at most 35 characters. A long
 * title is shortened, then left out. The number and the link of a single section are always included; of several
 * sections, as many as fit are named.
 */
export function smsText(alerts: readonly CleanAlert[], { product_name, link, is_first }: SmsContext): string {
  const product = gsmText(product_name)
  const end = `. ${link}${is_first ? ' Reply STOP to end.' : ''}`
  const [only, ...others] = alerts
  if (only === undefined) return ''
  return others.length === 0 ? ofOne(only, product, end) : ofSeveral(alerts, product, end)
}

function ofOne(alert: CleanAlert, product: string, end: string): string {
  const start = `${eventOf(alert).toLowerCase()}. `
  const named = product === '' ? start : `${product}: ${start}`
  const name = spelled(alert.name)
  const title = preventAutolinks(gsmText(alert.title))
  const number = numberOf(alert)
  const left = alert.seats_available === null ? '' : `, ${alert.seats_available} left`
  const whole = (shownName: string, shownTitle: string, seats: string) =>
    `${named}${joined([joined([shownName, shownTitle], ' '), number], ', ')}${seats}${end}`
  return (
    firstFitting(cuts(title, MIN_TITLE), (shown) => whole(name, shown, left)) ??
    firstFitting([left, ''], (seats) => whole(name, '', seats)) ??
    firstFitting(cuts(name, 1), (shown) => whole(shown, '', '')) ??
    `${start}${number}${end}`
  )
}

function ofSeveral(alerts: readonly CleanAlert[], product: string, end: string): string {
  const start = joined([product, eventOfSeveral(alerts)], ': ')
  const items = alerts.map((alert) => joined([spelled(alert.name), numberOf(alert)], ' '))
  for (let kept = items.length; kept > 0; kept -= 1) {
    const more = items.length - kept
    const shown = [...items.slice(0, kept), ...(more > 0 ? [`+${more} more`] : [])].join('; ')
    const text = `${start}. ${shown}${end}`
    if (fits(text)) return text
  }
  return `${start}${end}`
}

/** 'CRN 21847' */
function numberOf({ label, number }: CleanAlert): string {
  return joined([spelled(label), spelled(number)], ' ')
}

/** Letters without a spelling are left out, which may form a host name again. */
function spelled(text: string): string {
  return withoutAddresses(gsmText(text))
}

/** The text and ever shorter prefixes of it, at least `shortest` characters long. */
function* cuts(text: string, shortest: number): Generator<string> {
  yield text
  const letters = Array.from(text)
  for (let kept = letters.length - 1; kept >= shortest; kept -= 1) yield letters.slice(0, kept).join('').trimEnd()
}

function firstFitting(parts: Iterable<string>, write: (part: string) => string): string | null {
  for (const part of parts) {
    const text = write(part)
    if (fits(text)) return text
  }
  return null
}

function fits(text: string): boolean {
  return countSegments(text).segments === 1
}
