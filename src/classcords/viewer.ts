import { type Actor, actorOf } from '../web/audit.ts'
import type { DiscordUser } from '../web/contract.ts'
import { forbidden, signInFirst } from '../web/refusal.ts'
import type { CurrentUser, SiteContext } from '../web/site.ts'

/** The person who looks at the directory. */
export interface Viewer {
  user: CurrentUser | null
  /** The linked chat account; null when there is none or nobody is logged in. */
  chat: DiscordUser | null
  schoolId: number | null
  isManager: boolean
  isSuperuser: boolean
}

/**
 * The person who changes something in the directory. Routes and the admin pass the actor; each operation checks on its
 * first line whether they may.
 */
export interface DirectoryActor {
  /**
   * `superuser`: somebody in the admin. In the directory's own pages a superuser without the manager role is a member.
   */
  role: 'member' | 'manager' | 'superuser'
  /** Their chat account, by which the directory names them; null for a superuser without one. */
  chatId: number | null
  /** Their name in the audit. */
  audit: Actor
}

/** A person with a chat account. */
export interface Member extends Viewer, DirectoryActor {
  user: CurrentUser
  chat: DiscordUser
  role: 'member' | 'manager'
  chatId: number
}

export function viewerOf(c: SiteContext): Viewer {
  const user = c.get('user')
  const chat = user?.discord_user ?? null
  return {
    user,
    chat,
    schoolId: chat?.school?.id ?? null,
    isManager: chat?.role_info.value === 'manager',
    isSuperuser: user?.is_superuser ?? false,
  }
}

/** @throws signInFirst, or forbidden without a linked chat account */
export function memberOf(c: SiteContext): Member {
  const viewer = viewerOf(c)
  const { user, chat, isManager } = viewer
  if (!user) throw signInFirst('You must be logged in')
  if (!chat) throw forbidden('User not found: no Discord account is linked to yours.')
  return { ...viewer, user, chat, role: isManager ? 'manager' : 'member', chatId: chat.id, audit: actorOf(c) }
}

/**
 * Whether a person may decide about invites, other people's and their own: managers may, and superusers in the admin.
 */
export const mayReview = ({ role }: Pick<DirectoryActor, 'role'>): boolean => role === 'manager' || role === 'superuser'

/** @throws forbidden for those who may not {@link mayReview} */
export function refuseUnlessReviewer(by: DirectoryActor): void {
  if (!mayReview(by)) throw forbidden('Only managers may do this.')
}
