import type { Viewer } from '../viewer.ts'

/** The part of the directory somebody is shown. School 0 stands for all of them. */
export interface Scope {
  schoolId: number
  withPrivate: boolean
}

/** The public servers of a school; 0: of all of them. */
export const publicOf = (schoolId: number): Scope => ({ schoolId, withPrivate: false })

/** Who has a school sees all of its servers; everybody else the public ones of every school. */
export function scopeOf({ schoolId }: Pick<Viewer, 'schoolId'>): Scope {
  return schoolId === null ? publicOf(0) : { schoolId, withPrivate: true }
}

/** What keeps somebody out may be missing: a session, a chat account, a school. Otherwise they are `granted` or `refused`. */
export type Access = 'granted' | 'sign_in' | 'connect_discord' | 'select_school' | 'refused'

/** Who may see the invites of a listed server: of a private one members of its schools, managers and superusers. */
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
