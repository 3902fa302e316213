import type { ClassAlert } from '../../../src/class-tracker/alerts/contract.ts'
import { dayKey } from '../../components/time-text.ts'

/** Groups the alerts by the day they were created, in their original order. */
export const alertDays = (alerts: readonly ClassAlert[], timeZone: string): [day: string, alerts: ClassAlert[]][] => [
  ...Map.groupBy(alerts, ({ datetime_created: at }) => dayKey(at, timeZone)),
]

/** Groups adjacent alerts about one opening; a second alert for the same person begins a new group. */
export function alertGroups(alerts: readonly ClassAlert[]): [ClassAlert, ...ClassAlert[]][] {
  const groups: [ClassAlert, ...ClassAlert[]][] = []
  for (const alert of alerts) {
    const last = groups.at(-1)
    const isSame =
      last !== undefined &&
      last[0].course_section.id === alert.course_section.id &&
      last[0].seen_open_at === alert.seen_open_at &&
      last[0].kind === alert.kind &&
      !last.some(({ recipient }) => recipient.id === alert.recipient.id)
    if (isSame) last.push(alert)
    else groups.push([alert])
  }
  return groups
}
