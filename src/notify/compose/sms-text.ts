import { cut } from '../clean-text.ts'
import { countSegments, gsmOnly, plainMarks } from '../sms/segments.ts'
import type { CleanAlert } from './alert-line.ts'

const MOST_SEGMENTS = 3
const WAY_OUT = 'Reply STOP to opt out'

/** A head shorter than this tells too little; then accents are given up before words are. */
const TELLING_LENGTH = 40

/**
 * The alerts, one a line, in at most three segments: lines that do not fit are dropped from the end and counted
 * ('+2 more'). One line that is too long alone loses words before its link, and the link stays whole.
 */
export function smsText(alerts: CleanAlert[]): string {
  const exact = alerts.map((alert) => plainLine(alert, plainMarks))
  const whole = text(exact, 0)
  if (fits(whole)) return whole
  // One foreign letter more than halves the room: rather tell of every section without its accent.
  const lines = exact.map(withoutAccents)
  for (let kept = lines.length; kept > 0; kept -= 1) {
    const shorter = text(lines.slice(0, kept), lines.length - kept)
    if (fits(shorter)) return shorter
  }
  const [first] = alerts
  return first === undefined ? '' : shortened(first, alerts.length - 1)
}

function shortened(alert: CleanAlert, more: number): string {
  const head = plainMarks(alert.sentence)
  const exact = longestFitting(head, alert.link, more)
  const telling = Math.min(TELLING_LENGTH, head.length)
  if (exact !== null && exact.kept >= telling) return exact.text
  const cheap = longestFitting(gsmOnly(head), alert.link, more)
  if (cheap !== null && cheap.kept >= telling) return cheap.text
  // The link alone fills the message: which section it is matters more.
  return (longestFitting(gsmOnly(head), null, more) ?? { text: WAY_OUT }).text
}

function longestFitting(head: string, link: string | null, more: number): { text: string; kept: number } | null {
  for (let kept = Array.from(head).length; kept > 0; kept -= 1) {
    const shorter = cut(head, kept, '...')
    const line = link === null ? shorter : `${shorter}, ${link}`
    const attempt = text([line], more)
    if (fits(attempt)) return { text: attempt, kept }
  }
  return null
}

function plainLine(alert: CleanAlert, spelled: (text: string) => string): string {
  const sentence = spelled(alert.sentence)
  return alert.link === null ? sentence : `${sentence}, ${alert.link}`
}

/** The line in the cheap alphabet, unless that would make question marks of its letters. */
function withoutAccents(line: string): string {
  const cheap = gsmOnly(line)
  return cheap.split('?').length === line.split('?').length ? cheap : line
}

function text(lines: string[], more: number): string {
  return [...lines, ...(more > 0 ? [`+${more} more`] : []), WAY_OUT].join('\n')
}

function fits(body: string): boolean {
  return countSegments(body).segments <= MOST_SEGMENTS
}
