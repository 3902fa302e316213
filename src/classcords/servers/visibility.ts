import type { Viewer } from '../viewer.ts'

/** The part of the directory that a person sees. School 0: all schools. */
export interface Scope {
  schoolId: number
  withPrivate: boolean
  /** If all schools are shown: the school whose servers, including private ones, come first. */
  ownSchoolId?: number
}

/** The public servers of a school; 0: of all schools. */
export const publicOf = (schoolId: number): Scope => ({ schoolId, withPrivate: false })

/** People with a school see all its servers; everyone else sees the public servers of every school. */
export function scopeOf({ schoolId }: Pick<Viewer, 'schoolId'>): Scope {
  return schoolId === null ? publicOf(0) : { schoolId, withPrivate: true }
}

/** The part a search covers. @param selected a school, 0 for all of them, null for the viewer's */
export function scopeOfSearch({ schoolId: own }: Pick<Viewer, 'schoolId'>, selected: number | null): Scope {
  if (own === null) return publicOf(selected ?? 0)
  if (selected === null || selected === own) return { schoolId: own, withPrivate: true }
  return selected === 0 ? { ...publicOf(0), ownSchoolId: own } : publicOf(selected)
}
