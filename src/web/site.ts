import type { Context } from 'hono'
import type { Message } from '../lib/contract.ts'
import type { DiscordUser } from './contract.ts'

/** The person making the request, according to the session's row and its user at this time. */
export interface CurrentUser {
  id: number
  username: string
  email: string | null
  /** The display name: from the Discord account, otherwise the username. */
  name: string
  is_superuser: boolean
  discord_user: DiscordUser | null
}

/** Times are ms since epoch. `idHash` is the SHA-256 of the cookie. */
export interface CurrentSession {
  idHash: string
  userId: number
  createdAt: number
  expiresAt: number
  authenticatedAt: number
  isPersistent: boolean
}

interface SiteVariables {
  requestId: string
  /** Whether another log line, about several requests, covers this one. */
  isLogged: boolean
  user: CurrentUser | null
  session: CurrentSession | null
  /** Set for a form that sets a password: the session of its cookie, which ended within the last minute. */
  endedSession: CurrentSession | undefined
  csrfToken: string
  /** IANA name */
  timeZone: string
  /** Flash messages waiting to be shown, including those of this request. */
  messages: Message[]
  /** True once a page has shown the messages. */
  areMessagesShown: boolean
  /** Whether a GET route answers this path of the site. */
  isPage: (path: string) => boolean
  /** The body, once it has been read. */
  form: Promise<FormData> | undefined
}

export type SiteEnv = { Bindings: Env; Variables: SiteVariables }
export type SiteContext = Context<SiteEnv>

/** Lets work go on after the answer. */
export const laterOf =
  (c: SiteContext) =>
  (work: Promise<unknown>): void =>
    c.executionCtx.waitUntil(work)
