import type { DiscordUser } from '../web/contract.ts'
import { forbidden, signInFirst } from '../web/refusal.ts'
import type { CurrentUser, SiteContext } from '../web/site.ts'

/** Who looks at the directory. Without the manager role a superuser reviews nothing. */
export interface Viewer {
  user: CurrentUser | null
  /** The linked chat account; null when there is none or nobody is signed in. */
  chat: DiscordUser | null
  schoolId: number | null
  isManager: boolean
  isSuperuser: boolean
}

/** Somebody with a chat account. */
export type Member = Viewer & { user: CurrentUser; chat: DiscordUser }

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

/** For calls. @throws signInFirst, or forbidden without a linked chat account */
export function memberOf(c: SiteContext): Member {
  const { user, chat, ...rest } = viewerOf(c)
  if (!user) throw signInFirst('You must be logged in')
  if (!chat) throw forbidden('User not found: no Discord account is linked to yours.')
  return { ...rest, user, chat }
}

/** For calls. @throws as {@link memberOf}, and forbidden without the manager role */
export function managerOf(c: SiteContext): Member {
  const member = memberOf(c)
  if (!member.isManager) throw forbidden('Only managers may do this.')
  return member
}
