import type { NotificationRecord, World } from '../world.ts'

/** How long a phone takes to show what it received. */
const SHOW_MS = 60

/** Shows a notification a moment later, and reports it as the app's own service worker would. */
export function reportLater(world: World, record: NotificationRecord): void {
  setTimeout(() => void report(world, record, 'shown'), SHOW_MS).unref()
}

/** What a device reports about a notification, with the token from it. A report that no one accepts is lost. */
export async function report(world: World, record: NotificationRecord, event: 'shown' | 'opened'): Promise<void> {
  record.shownAt ??= world.now()
  if (event === 'opened') record.openedAt ??= world.now()
  world.changed()
  const { delivery = '', token = '' } = JSON.parse(record.payload) as Record<string, string | undefined>
  const body = new URLSearchParams({ delivery, event })
  const headers = { 'x-device-token': token }
  await fetch(`${world.options.appUrl}/push/seen`, { method: 'POST', headers, body }).then(
    (response) => response.arrayBuffer(),
    () => undefined,
  )
}
