import { type CleanAlert, eventOf, eventOfSeveral, joined } from './alert-facts.ts'

/**
 * The text of a notification: 'Seat open: CODE LEVEL-section', and below it 'title · CRN 21847 · 3 left', one line per
 * section.
 */
export function pushText(alerts: readonly CleanAlert[]): { title: string; body: string } {
  const [only, ...others] = alerts
  if (only !== undefined && others.length === 0) {
    return { title: joined([eventOf(only), only.name], ': '), body: factsOf(only, only.title) }
  }
  return { title: eventOfSeveral(alerts), body: alerts.map((alert) => factsOf(alert, alert.name)).join('\n') }
}

function factsOf({ label, number, seats_available }: CleanAlert, name: string): string {
  const left = seats_available === null ? '' : `${seats_available} left`
  return joined([name, number && `${label} ${number}`, left], ' · ')
}
