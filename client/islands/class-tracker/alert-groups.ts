import type { ClassAlert, Delivery } from '../../../src/class-tracker/alerts/contract.ts'
import { dayKey } from '../../components/time-text.ts'
import { hasFailed } from './delivery-line.tsx'

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

const anyFailed = ({ state, deliveries }: ClassAlert): boolean => state === 'no_contact' || deliveries.some(hasFailed)

/** Failed messages come first, because someone has to act on them. */
export const failedFirst = <Item>(items: readonly Item[], failed: (item: Item) => boolean): Item[] =>
  items.toSorted((one, other) => Number(failed(other)) - Number(failed(one)))

const channelOrder: readonly Delivery['channel'][] = ['phone', 'push', 'email', 'discord']

/** In the same order for everyone, so that rows can be compared. */
export const byChannel = (deliveries: readonly Delivery[]): Delivery[] =>
  deliveries.toSorted((one, other) => channelOrder.indexOf(one.channel) - channelOrder.indexOf(other.channel))

/** Openings with more lines than this are folded, so that they are as high as the facts beside them. */
const MAX_LINES = 3

const lineCount = (alerts: readonly ClassAlert[]): number =>
  alerts.reduce((sum, { deliveries }) => sum + Math.max(deliveries.length, 1), 0)

/** The people shown at once (those with a failure, and as many others as fit above the line), and the rest. */
export function foldedPeople(alerts: readonly ClassAlert[]): [shown: ClassAlert[], folded: ClassAlert[]] {
  const people = failedFirst(alerts, anyFailed)
  if (lineCount(people) <= MAX_LINES) return [people, []]
  const isShown = (alert: ClassAlert, place: number): boolean =>
    place === 0 || anyFailed(alert) || lineCount(people.slice(0, place + 1)) < MAX_LINES
  const first = people.findIndex((alert, place) => !isShown(alert, place))
  return first === -1 || lineCount(people.slice(first)) === 1
    ? [people, []]
    : [people.slice(0, first), people.slice(first)]
}
