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

/** The part a search covers. @param selected a school, 0 for all of them, null for one's own */
export function scopeOfSearch({ schoolId: own }: Pick<Viewer, 'schoolId'>, selected: number | null): Scope {
  if (own === null) return publicOf(selected ?? 0)
  if (selected === null || selected === own) return { schoolId: own, withPrivate: true }
  return selected === 0 ? { ...publicOf(0), ownSchoolId: own } : publicOf(selected)
}

/** Access is `granted` or `refused`, or a step is missing: logging in, connecting Discord, or selecting a school. */
type Access = 'granted' | 'sign_in' | 'connect_discord' | 'select_school' | 'refused'

/** A private server's invites are for members of its schools, managers and superusers. */
export function inviteAccess(
  viewer: Pick<Viewer, 'schoolId' | 'isManager' | 'isSuperuser'> & { user: unknown; chat: unknown },
  server: { is_private: boolean; school_ids: readonly number[] },
): Access {
  if (!server.is_private || viewer.isManager || viewer.isSuperuser) return 'granted'
  if (!viewer.user) return 'sign_in'
  if (!viewer.chat) return 'connect_discord'
  if (viewer.schoolId === null) return 'select_school'
  return server.school_ids.includes(viewer.schoolId) ? 'granted' : 'refused'
}
