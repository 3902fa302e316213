/** Who may use a route. */
export type RouteClass =
  /** Anyone. */
  | 'public'
  /** Anyone who is logged in. */
  | 'account'
  /** The page of the user's own Discord account, which others do not have. */
  | 'profile'
  /** People with a Discord account. */
  | 'member'
  /** Managers of the directory. */
  | 'manager'
  /** Superusers; others get a refusal that says so. */
  | 'staff'
  /** Superusers; others must not learn that it exists. */
  | 'hidden'
  /** A WebSocket for superusers: no one can be redirected to a page. */
  | 'socket'
  /** Superusers, and machines with a token; a 404 for everyone else. */
  | 'machine'
  /** Anyone with a valid signature. */
  | 'signed'

export interface AppRoute {
  method: string
  /** The pattern, without its trailing slash. */
  path: string
}

const accountFlows =
  'login|logout|inactive|signup|confirm-email|login/code|login/code/confirm|password/reset|password/reset/done|password/reset/key/done|2fa/authenticate'
const discordFlows =
  'discord/login|discord/login/callback|3rdparty/login/error|3rdparty/login/cancelled|3rdparty/signup'

/** The first match decides. The areas of superusers are closed as a whole, including future routes. */
const rules: readonly [RegExp, RouteClass][] = [
  [/^\/$/, 'public'],
  [/^\/(?:robots\.txt|sitemap\.xml)$/, 'public'],
  [/^\/scheduler\/(?:queues\/stats\.json|metrics)$/, 'machine'],
  [/^\/scheduler\/live$/, 'socket'],
  [/^\/(?:scheduler|admin)(?:\/|$)/, 'hidden'],
  // Anyone who has the link: the codes are secrets, and a wrong one is a 404.
  [/^\/s(?:\/:code(?:\/|$)|$)/, 'public'],
  [/^\/class_tracker(?:\/login_view|\/logout_view)?$/, 'public'],
  [/^\/class_tracker\//, 'staff'],
  [new RegExp(`^/accounts/(?:${accountFlows}|${discordFlows})$`), 'public'],
  [/^\/accounts\/(?:confirm-email\/:key|password\/reset\/key\/:uidkey)$/, 'public'],
  [/^\/accounts(?:\/(?:3rdparty|email|password\/change|password\/set|reauthenticate|sessions))?$/, 'account'],
  [/^\/accounts\/2fa(?:\/|$)/, 'account'],
  [
    /^\/classcords(?:\/all|\/login|\/school\/:school_id|\/join\/:invite_id|\/server\/:server_id|\/referral\/:referral_code)?$/,
    'public',
  ],
  [/^\/classcords\/login-success$/, 'account'],
  [/^\/classcords\/profile$/, 'profile'],
  [/^\/classcords\/(?:notices|server\/:server_id\/report|referrals|referrals\/:referral_id\/(?:revoke|qr))$/, 'member'],
  [/^\/classcords\/(?:unapproved-invites|reports|reports\/:report_id(?:\/remove)?)$/, 'manager'],
  [/^\/classcords\/ajax\/(?:schools|subjects|subjects\/:subject_id\/courses|referral-redeem)$/, 'public'],
  [/^\/classcords\/ajax\/(?:servers\/:server_id\/invites|invites\/:invite_id\/track-usage)$/, 'public'],
  [
    /^\/classcords\/ajax\/(?:invites\/:invite_id\/(?:approve|reject|withdraw|check|close)|servers\/:server_id\/uses|palette)$/,
    'manager',
  ],
  [
    /^\/classcords\/ajax\/(?:validate-discord-invite|submit-invite|select-school|invites\/:invite_id\/cancel)$/,
    'member',
  ],
  [/^\/classcords\/ajax\/schools\/:school_id\/subjects(?:\/:subject_id\/(?:courses|instructors))?$/, 'member'],
  [/^\/classcords\/ajax\/(?:servers\/:server_id\/report|notices|notices\/read|notices\/:notice_id\/read)$/, 'member'],
  [/^\/r\/:token/, 'public'],
  [/^\/push\/subscribe$/, 'public'],
  [/^\/push\/seen$/, 'signed'],
  [/^\/notify\/unsubscribe\/:token$/, 'public'],
  [/^\/notify\/(?:sms|email)\//, 'signed'],
]

/** The declared class of a route; null if there is none yet, which fails the matrix. */
export function classOf(path: string): RouteClass | null {
  return rules.find(([pattern]) => pattern.test(path))?.[1] ?? null
}

/** The app's routes, each method and path once. Handlers for all methods are middleware. */
export function routesOf(registered: readonly AppRoute[]): AppRoute[] {
  const known = new Map<string, AppRoute>()
  for (const { method, path } of registered) if (method !== 'ALL') known.set(`${method} ${path}`, { method, path })
  return [...known.values()]
}
