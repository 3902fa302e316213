import type { Hono } from 'hono'
import { createMiddleware } from 'hono/factory'
import { matchedRoutes } from 'hono/route'
import type { Router } from 'hono/router'
import type { H, RouterRoute } from 'hono/types'
import { getPath } from 'hono/utils/url'
import { notFound, wrongMethod } from './refusal.ts'
import type { SiteContext, SiteEnv } from './site.ts'

type SiteRouter = Router<[H, RouterRoute]>
const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']

const withoutSlash = (path: string) => (path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path)

/** The path used to look up routes, without a trailing slash. */
export function pathOf(request: Request): string {
  return withoutSlash(getPath(request))
}

/** Each route answers with and without a slash at its end, whichever way it is written. */
export function mount(site: Hono<SiteEnv>, prefix: string, feature: Hono<SiteEnv>): void {
  for (const route of feature.routes) {
    const path = withoutSlash(`${withoutSlash(prefix)}${route.path}`.replace(/^\/\//, '/'))
    site.on(route.method, path, route.handler)
  }
}

/** The answering route's pattern; null if there is none. Middleware is registered for all methods. */
export const routeOf = (c: SiteContext): string | null => answering(matchedRoutes(c))

const answering = (routes: RouterRoute[]): string | null => routes.find(({ method }) => method !== 'ALL')?.path ?? null

/** Refuses unknown routes before a login is required: 404, or 405 with the allowed methods. */
export const requireRoute = (router: () => SiteRouter) =>
  createMiddleware<SiteEnv>(async function requireRoute(c, next) {
    const isThere = (method: string, path: string) =>
      answering(
        router()
          .match(method, path)[0]
          .map(([[, route]]) => route),
      ) !== null
    c.set('isPage', (path) => isThere('GET', withoutSlash(path)))
    if (routeOf(c) === null) {
      const allowed = methods.filter((method) => isThere(method, c.req.path))
      throw allowed.length === 0
        ? notFound()
        : wrongMethod(allowed.flatMap((name) => (name === 'GET' ? ['GET', 'HEAD'] : [name])))
    }
    await next()
  })
