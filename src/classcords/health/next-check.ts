export const dayMs = 24 * 3600_000
/** Between the checks of an invite that failed: the third is a day after the first. */
const failingMs = 12 * 3600_000
/** Checks in a row that must have failed, over at least a day. */
const fatalFailures = 3

export interface Checked {
  failures: number
  first_failed_at: number | null
}

/** What a failed check makes of an invite: dead only after 3 failures that are at least 24 hours apart. */
export function afterFailure(before: Checked, now: number): Checked & { due_at: number; is_dead: boolean } {
  const failures = before.failures + 1
  const first_failed_at = before.first_failed_at ?? now
  const is_dead = failures >= fatalFailures && now - first_failed_at >= dayMs
  return { failures, first_failed_at, is_dead, due_at: now + (is_dead ? dayMs : failingMs) }
}
