import { escapeHtml, oneLine } from '../clean-text.ts'
import type { CleanAlert } from './alert-line.ts'

const MOST_ALERTS = 100

/** 'Seat open: CODE LEVEL - topic', or the courses' names when there are several. At most 120 characters. */
export function subjectLine(alerts: CleanAlert[]): string {
  const isReminder = alerts.every((alert) => alert.is_reminder)
  const [only, ...others] = alerts
  if (only !== undefined && others.length === 0) {
    return oneLine(`${isReminder ? 'Still open' : 'Seat open'}: ${only.name}`, 120)
  }
  const courses = [...new Set(alerts.map((alert) => alert.course))].join(', ')
  const start = isReminder ? `${alerts.length} sections still open` : `Seats open in ${alerts.length} sections`
  return oneLine(`${start}: ${courses}`, 120)
}

export function emailText(alerts: CleanAlert[], unsubscribeUrl: string | null): string {
  const shown = alerts.slice(0, MOST_ALERTS)
  const items = shown.map((alert) => {
    const rows = [alert.sentence, alert.place, alert.link ?? '']
    return `* ${rows.filter((row) => row !== '').join('\n  ')}`
  })
  const parts = [introduction(alerts), ...items, ...moreThan(shown, alerts)]
  if (unsubscribeUrl !== null) parts.push(`Stop these messages: ${unsubscribeUrl}`)
  return `${parts.join('\n\n')}\n`
}

/** A whole HTML document without styles or pictures. Every text in it is escaped. */
export function emailHtml(alerts: CleanAlert[], unsubscribeUrl: string | null): string {
  const shown = alerts.slice(0, MOST_ALERTS)
  const items = shown.map((alert) => {
    const rows = [`<strong>${escapeHtml(alert.sentence)}</strong>`]
    if (alert.place !== '') rows.push(escapeHtml(alert.place))
    if (alert.link !== null) rows.push(`<a href="${escapeHtml(alert.link)}">View on school site</a>`)
    return `<li>${rows.join('<br>')}</li>`
  })
  const more = moreThan(shown, alerts).map((text) => `<p>${escapeHtml(text)}</p>`)
  const unsubscribeLink =
    unsubscribeUrl === null ? '' : `<p><a href="${escapeHtml(unsubscribeUrl)}">Stop these messages</a></p>`
  return [
    '<!doctype html>',
    `<html lang="en"><head><meta charset="utf-8"><title>${escapeHtml(subjectLine(alerts))}</title></head><body>`,
    `<p>${escapeHtml(introduction(alerts))}</p>`,
    `<ul>${items.join('\n')}</ul>`,
    ...more,
    unsubscribeLink,
    '</body></html>',
  ].join('\n')
}

function introduction(alerts: CleanAlert[]): string {
  const reminders = alerts.filter((alert) => alert.is_reminder).length
  if (reminders === 0) {
    return alerts.length === 1
      ? 'A seat opened in a section watched for you.'
      : `Seats opened in ${alerts.length} sections watched for you.`
  }
  if (reminders < alerts.length) return `${alerts.length} sections watched for you have open seats.`
  return alerts.length === 1
    ? 'A section watched for you is still open.'
    : `${alerts.length} sections watched for you are still open.`
}

function moreThan(shown: CleanAlert[], alerts: CleanAlert[]): string[] {
  return shown.length < alerts.length ? [`+${alerts.length - shown.length} more`] : []
}
