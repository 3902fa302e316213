import type { ClassAlert } from '../../../src/class-tracker/alerts/contract.ts'

/**
 * Groups adjacent alerts about the same opening, which differ only in who they are for. The order is kept; a second
 * alert for the same person begins a new group.
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
