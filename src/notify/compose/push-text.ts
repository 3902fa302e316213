import type { CleanAlert } from './alert-line.ts'

/** What a notification says below its title: a line for each alert. */
export function pushBody(alerts: readonly CleanAlert[]): string {
  return alerts.map(({ sentence, place }) => (place === '' ? sentence : `${sentence}\n${place}`)).join('\n')
}
