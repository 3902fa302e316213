import { type Actor, actorOf } from '../web/audit.ts'
import type { DiscordUser } from '../web/contract.ts'
import { forbidden, unauthorized } from '../web/refusal.ts'
import type { CurrentUser, SiteContext } from '../web/site.ts'

export interface Viewer {
  user: CurrentUser | null
  /** The linked Discord account; null when there is none or no one is logged in. */
  discordUser: DiscordUser | null
  schoolId: number | null
  isManager: boolean
  isSuperuser: boolean
}

/** The person who changes something in the directory. Each operation first checks whether they may. */
export interface DirectoryActor {
  /** `superuser` in the admin only. On the directory's own pages, a superuser without the manager role is a member. */
  role: 'member' | 'manager' | 'superuser'
  /** Their Discord account; null for a superuser without one. */
  discordUserId: number | null
  audit: Actor
}

export interface Member extends Viewer, DirectoryActor {
  user: CurrentUser
  discordUser: DiscordUser
  role: 'member' | 'manager'
  discordUserId: number
}

export function viewerOf(c: SiteContext): Viewer {
  const user = c.get('user')
  const discordUser = user?.discord_user ?? null
  return {
    user,
    discordUser,
    schoolId: discordUser?.school?.id ?? null,
    isManager: discordUser?.role_info.value === 'manager',
    isSuperuser: user?.is_superuser ?? false,
  }
}

/** @throws unauthorized, or forbidden without a linked Discord account */
export function requireMember(c: SiteContext): Member {
  const viewer = viewerOf(c)
  const { user, discordUser, isManager } = viewer
  if (!user) throw unauthorized('You must be logged in')
  if (!discordUser) throw forbidden('User not found: no Discord account is linked to yours.')
  return {
    ...viewer,
    user,
    discordUser,
    role: isManager ? 'manager' : 'member',
    discordUserId: discordUser.id,
    audit: actorOf(c),
  }
}

/** Managers, and superusers in the admin, may decide, even about their own invites. @throws forbidden */
export function refuseUnlessReviewer({ role }: DirectoryActor): void {
  if (role === 'member') throw forbidden('Only managers may do this.')
}
