import type { Role } from './people.ts'
import type { RouteClass } from './route-classes.ts'

/** How a request is decided before the route itself is called; `in` if the route decides. */
export type Decision =
  | { kind: 'in' }
  | { kind: 'refused'; statuses: readonly number[] }
  | { kind: 'login'; page: string }

const within: Decision = { kind: 'in' }
export const refused = (...statuses: number[]): Decision => ({ kind: 'refused', statuses })

const isLoggedIn = (role: Role) => role !== 'nobody' && role !== 'disabled'
const hasDiscordUser = (role: Role) => role === 'regular' || role === 'manager'

const loginPages: readonly [string, string][] = [
  ['/class_tracker/', '/class_tracker/login_view/'],
  ['/classcords/', '/classcords/login/'],
  ['', '/accounts/login/'],
]

/** Who may access what, for a request from our own page with its token. */
export function decide(kind: RouteClass, role: Role, path: string, asksJson: boolean): Decision {
  const isJson = asksJson || isCall(path)
  if (kind === 'public') return within
  if (kind === 'signed') return refused(403)
  if (kind === 'machine') return role === 'superuser' ? within : refused(404)
  if (kind === 'socket' && !isLoggedIn(role)) return refused(401)
  if (!isLoggedIn(role)) {
    const page = loginPages.find(([area]) => path.startsWith(area))?.[1] ?? ''
    return isJson ? refused(401) : { kind: 'login', page }
  }
  switch (kind) {
    case 'account':
      return within
    case 'profile':
      return hasDiscordUser(role) ? within : refused(404)
    case 'member':
      return hasDiscordUser(role) ? within : refused(403)
    case 'manager':
      return role === 'manager' ? within : refused(403)
    case 'staff':
      return role === 'superuser' ? within : refused(403)
    case 'hidden':
    case 'socket':
      return role === 'superuser' ? within : refused(404)
  }
}

/** A user whom the route admits. */
export function insiderOf(kind: RouteClass): Role {
  if (kind === 'staff' || kind === 'hidden' || kind === 'machine' || kind === 'socket') return 'superuser'
  return kind === 'public' || kind === 'account' || kind === 'signed' ? 'plain' : 'manager'
}

/** Calls are answered as JSON, whatever the client prefers. */
export const isCall = (path: string): boolean =>
  path.startsWith('/classcords/ajax/') ||
  path.startsWith('/push/') ||
  /^\/class_tracker\/(?:get|add|remove|refresh|fetch|retry)_/.test(path.replace('/add_classes', '/')) ||
  path.startsWith('/class_tracker/recipients/') ||
  path.endsWith('.json')

/** What a route may answer to a user it admits. 401 is the status of Discord's failed login. */
export const answersOfReading = [200, 302, 400, 404]
export const answersOfChanging = [200, 202, 204, 302, 303, 400, 404, 409, 422]
export const failedLogin = /^\/accounts\/(?:discord\/login\/callback|3rdparty\/login\/error)$/
