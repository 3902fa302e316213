import type { ClassAlert } from '../../../src/class-tracker/alerts/contract.ts'
import { dayKey } from '../../components/time-text.ts'

interface AlertDay {
  /** "2026-11-03" */
  key: string
  alerts: ClassAlert[]
}

/** Groups the alerts by the day they were created, in their original order. */
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
