import type {
  RefreshedSections,
  RefreshedSubjects,
  RefreshedTerms,
} from '../../../src/class-tracker/refresh/contract.ts'

/** A job's result can be anything; each refresh recognizes its own by the lists in it. */
function hasLists(result: unknown, ...names: string[]): result is Record<string, unknown> {
  if (typeof result !== 'object' || result === null) return false
  const keys: Record<string, unknown> = { ...result }
  return names.every((name) => Array.isArray(keys[name]))
}

export function isRefreshedTerms(result: unknown): result is RefreshedTerms {
  return (
    hasLists(result, 'available_schools', 'available_terms', 'failures') &&
    typeof result['new_terms_count'] === 'number'
  )
}
export function isRefreshedSubjects(result: unknown): result is RefreshedSubjects {
  return hasLists(result, 'available_subjects', 'failures')
}
export function isRefreshedSections(result: unknown): result is RefreshedSections {
  return hasLists(result, 'courses', 'failures', 'warnings') && typeof result['courses_count'] === 'number'
}

export const endedStates: readonly string[] = ['finished', 'failed', 'stopped', 'canceled']
