import type { Notices } from '../src/classcords/contract.ts'
import { call } from './api.ts'

/** Shows the number of unread notifications on the bell in the navbar; no number if there are none. */
export function showUnread(count: number): void {
  const badge = document.getElementById('unread-notices')
  if (!badge) return
  badge.hidden = count < 1
  badge.textContent = count > 99 ? '99+' : String(count)
  badge.title = `${count} unread`
}

/** Asks for the number of unread notifications if the navbar has a bell. If that fails, nothing is shown. */
export function countUnread(): void {
  if (!document.getElementById('unread-notices')) return
  call<Notices>('/classcords/ajax/notices/', { timeout: 10_000 }).then(
    ({ unread_count: count }) => showUnread(count),
    () => undefined,
  )
}
