import type { ClassAlert } from '../../../src/class-tracker/alerts/contract.ts'

/**
 * Alerts about the same opening that stand next to each other, as one list: only whom they are for differs. In the order they come; a
 * second alert for the same person begins a new one.
 */
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
