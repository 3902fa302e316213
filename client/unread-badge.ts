import type { Notices } from '../src/classcords/contract.ts'
import { call } from './api.ts'

/** Writes the number of unread notices on the bell of the bar; no number when there are none. */
export function showUnread(count: number): void {
  const badge = document.getElementById('unread-notices')
  if (!badge) return
  badge.hidden = count < 1
  badge.textContent = count > 99 ? '99+' : String(count)
  badge.title = `${count} unread`
}

/** Asks how many notices are unread, where the bar has a bell. It is an aside: when it fails, nothing is shown. */
export function countUnread(csrfToken: string): void {
  if (!document.getElementById('unread-notices')) return
  call<Notices>('/classcords/ajax/notices/', { csrfToken, timeout: 10_000 }).then(
    ({ unread_count: count }) => showUnread(count),
    () => undefined,
  )
}
