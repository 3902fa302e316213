import { type CleanAlert, eventOf, eventOfSeveral, joined } from './alert-facts.ts'

/** What a notification says: 'Seat open: CODE LEVEL-section', and below it 'title · CRN 21847 · 3 left', a line for each of several. */
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
