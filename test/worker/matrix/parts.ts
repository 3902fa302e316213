import type { Body, Cell } from './cells.ts'
import { answersOfChanging, answersOfReading, decide, failedLogin, insiderOf, refused } from './expected.ts'
import { hostileQueries, hostileSegments, isId, ofNothing, parametersOf, pathWith, patternOf } from './paths.ts'
import { roles, type Role } from './people.ts'
import { type AppRoute, classOf, type RouteClass } from './route-classes.ts'

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']
const changing = new Set(['POST', 'PUT', 'PATCH', 'DELETE'])
/** Authenticated by their signature, so no token is needed. */
const isTokenless = (path: string) => path.startsWith('/notify/') || path === '/push/seen'

/** A route, who may use it, and an address of it with existing ids. */
export interface Place extends AppRoute {
  kind: RouteClass
  real: string
}

/**
 * How much of the matrix is requested: `of` returns this many of the choices, different ones each time; or all of them.
 */
export interface Choice {
  of<T>(choices: readonly T[], count: number): readonly T[]
}

/** The routes as places. @throws if one has no declared class. @param valueOf an existing value for a path parameter */
export function placesOf(routes: readonly AppRoute[], valueOf: (name: string) => string): Place[] {
  return routes.map((route) => {
    const kind = classOf(route.path)
    if (kind === null) throw new Error(`No one has decided who may ask for ${route.method} ${route.path}.`)
    return { ...route, kind, real: pathWith(route.path, valueOf) }
  })
}

/** Additional answers: to a user without a session at Discord, and to a request that is not a socket. */
const readings = ({ path, kind }: Place): number[] =>
  failedLogin.test(path) ? [...answersOfReading, 401] : kind === 'socket' ? [426] : answersOfReading
/** Some limits count the user throughout the matrix. */
const changings = ({ path }: Place): number[] =>
  /^\/accounts\/(?:2fa|email|password|reauthenticate)/.test(path) ? [...answersOfChanging, 429] : answersOfChanging
const isReading = ({ method }: Place) => method === 'GET'
const isChanging = ({ method }: Place) => changing.has(method)

/** Every route by its own methods, for every role, as a page and as a call. */
export function* asDecided(places: readonly Place[], choice: Choice): Generator<Cell> {
  for (const place of places)
    for (const role of roles)
      for (const isJson of choice.of([false, true], 1))
        for (const method of isReading(place) ? choice.of(['GET', 'HEAD'], 1) : [place.method]) {
          const path = isReading(place) ? place.real : ofNothing(place.path)
          const common = { part: 'role', role, method, path, isJson }
          if (isReading(place)) {
            yield { ...common, decision: decide(place.kind, role, path, isJson), statuses: readings(place) }
          } else
            yield {
              ...common,
              body: 'empty',
              decision: afterToken(place, role, path, isJson),
              statuses: changings(place),
            }
        }
}

/** A user whose session has ended may get 401, because nothing is done either way. */
const forgery = (role: Role) => (role === 'disabled' ? refused(401, 403) : refused(403))

/** A disabled user has no session, and therefore no token. */
function afterToken(place: Place, role: Role, path: string, isJson: boolean): Cell['decision'] {
  if (role === 'disabled' && !isTokenless(place.path)) return forgery(role)
  return decide(place.kind, role, path, isJson)
}

/** Every address with methods it does not support: 405 with the supported ones, for everyone. */
export function* wrongMethods(places: readonly Place[], choice: Choice): Generator<Cell> {
  for (const path of new Set(places.map((place) => place.path))) {
    const asked = ofNothing(path)
    const own = places.filter((place) => patternOf(place.path).test(asked)).map(({ method }) => method)
    const all = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].filter((method) => own.includes(method))
    const allow = all.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])).join(', ')
    for (const method of choice.of(methods, 2))
      for (const role of choice.of(roles, 1))
        for (const isJson of choice.of([false, true], 1))
          if (!allow.split(', ').includes(method))
            yield {
              part: 'method',
              role,
              method,
              path: asked,
              isJson,
              decision: refused(405),
              statuses: [],
              allow,
            }
  }
}

const forgeries: Readonly<Record<string, Cell['headers']>> = {
  'no token': { 'x-csrftoken': null },
  'a made-up token': { 'x-csrftoken': 'A'.repeat(43) },
  'another site': { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' },
  'another site that hides': { 'sec-fetch-site': 'cross-site', origin: 'null' },
  'a neighbor': { 'sec-fetch-site': 'same-site', origin: null },
  'a foreign origin': { 'sec-fetch-site': null, origin: 'https://evil.example' },
  nowhere: { 'sec-fetch-site': null, origin: null },
}

/** Every change from elsewhere or without its token: refused before anything else is checked. */
export function* forged(places: readonly Place[], choice: Choice): Generator<Cell> {
  for (const place of places.filter(isChanging)) {
    if (isTokenless(place.path)) continue
    for (const role of roles)
      for (const [part, headers = {}] of choice.of(Object.entries(forgeries), 1))
        for (const isJson of choice.of([false, true], 1))
          yield {
            part,
            role,
            method: place.method,
            path: ofNothing(place.path),
            isJson,
            headers,
            body: 'empty',
            decision: forgery(role),
            statuses: [],
          }
  }
}

const broken: readonly [Body, number][] = [
  ['json', 415],
  ['oversize', 413],
  ['torn', 400],
]

/** Every change with a malformed body. A route that reads its form says what is wrong; none crashes. */
export function* brokenBodies(places: readonly Place[], choice: Choice): Generator<Cell> {
  const changes = places.filter(isChanging)
  // Whether it is refused does not depend on the route.
  const unread = new Set(choice.of(changes, Math.ceil(changes.length / 4)))
  for (const place of changes) {
    const insider = insiderOf(place.kind)
    for (const role of new Set([insider, ...choice.of(roles, 1)])) {
      const path = ofNothing(place.path)
      const common = { role, method: place.method, path, isJson: true }
      // Whom the route refuses, it refuses before it reads a body.
      for (const [body, status] of role === insider ? broken : choice.of(broken, 1)) {
        const statuses = [...changings(place), status]
        // A signature over too long a body is not checked.
        const isUnread = place.kind === 'signed' && body === 'oversize'
        const decision = isUnread ? refused(403, 413) : afterToken(place, role, path, true)
        yield { ...common, part: 'body', body, decision, statuses }
      }
      // If the token itself is in the body, the body is not read that far.
      if (isTokenless(place.path) || role === 'disabled' || !unread.has(place)) continue
      const headers = { 'x-csrftoken': null }
      const decision = refused(413)
      yield { ...common, part: 'body', body: 'oversize-token', headers, decision, statuses: [] }
    }
  }
}

/** Every parameter of every path with invalid values, for a user whom the route admits. */
export function* hostilePaths(places: readonly Place[], choice: Choice): Generator<Cell> {
  for (const place of places)
    for (const name of parametersOf(place.path))
      for (const segment of choice.of(hostileSegments, 2)) {
        const role = insiderOf(place.kind)
        const path = pathWith(place.path, (other) => (other === name ? segment : isId(other) ? '999999999' : 'x'))
        // A value that the address itself resolves makes another address.
        const isElsewhere = /^(?:\.|%2e){2}(?:\/|$)/i.test(segment)
        const isNumbered = isId(name) && segment !== '0' && !isElsewhere
        const statuses = isNumbered
          ? [404, ...(place.kind === 'signed' ? [403] : [])]
          : [...(isReading(place) ? readings(place) : answersOfChanging), 401, 403, 405]
        const method = place.method
        yield { part: 'path', role, method, path, isJson: false, decision: { kind: 'in' }, statuses, body: 'empty' }
      }
}

/** Every page with unknown query parameters: it answers as if they were absent. */
export function* hostileQuestions(places: readonly Place[], choice: Choice): Generator<Cell> {
  for (const place of places.filter(isReading))
    for (const query of choice.of(hostileQueries, 2))
      for (const isJson of choice.of([false, true], 1)) {
        const role = insiderOf(place.kind)
        const path = `${place.real}?${query}`
        const decision = decide(place.kind, role, path, isJson)
        yield { part: 'query', role, method: 'GET', path, isJson, decision, statuses: readings(place) }
      }
}
