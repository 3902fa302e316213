import type { ClassAlert } from '../../../src/class-tracker/contract.ts'
import { dayKey } from '../../components/time-text.ts'

export interface AlertDay {
  /** "2026-11-03" */
  key: string
  alerts: ClassAlert[]
}

/** The alerts by the day they were made, in the order they come. */
export function alertDays(alerts: readonly ClassAlert[], timeZone: string): AlertDay[] {
  const days: AlertDay[] = []
  for (const alert of alerts) {
    const key = dayKey(alert.datetime_created, timeZone)
    const last = days.at(-1)
    if (last?.key === key) last.alerts.push(alert)
    else days.push({ key, alerts: [alert] })
  }
  return days
}

export interface AlertQuery {
  recipientId: number | null
  q: string
  page: number
}

/** The query of the page's address for a filter, '' when nothing is filtered. */
export function alertSearch({ recipientId, q, page }: AlertQuery): string {
  const search = new URLSearchParams()
  if (recipientId !== null) search.set('recipient_id', String(recipientId))
  if (q.trim() !== '') search.set('q', q.trim())
  if (page > 1) search.set('page', String(page))
  const text = search.toString()
  return text === '' ? '' : `?${text}`
}
