import type { Hono } from 'hono'
import { createMiddleware } from 'hono/factory'
import type { Router } from 'hono/router'
import type { H, RouterRoute } from 'hono/types'
import { getPath } from 'hono/utils/url'
import { notThere, wrongMethod } from './refusal.ts'
import type { SiteEnv } from './site.ts'

type SiteRouter = Router<[H, RouterRoute]>
const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']

const withoutSlash = (path: string) => (path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path)

/** The path routes are looked up under: with and without its trailing slash an address is the same. */
export function pathOf(request: Request): string {
  return withoutSlash(getPath(request))
}

/** Adds a feature's routes under a path. They are written as in the specification; each answers with and without its slash. */
export function mount(site: Hono<SiteEnv>, prefix: string, feature: Hono<SiteEnv>): void {
  for (const route of feature.routes) {
    const path = withoutSlash(`${withoutSlash(prefix)}${route.path}`.replace(/^\/\//, '/'))
    site.on(route.method, path, route.handler)
  }
}

/** The pattern of the route that answers, for the log; null when none does. Middleware is registered for all methods. */
export function routeOf(router: SiteRouter, method: string, path: string): string | null {
  const [matches] = router.match(method === 'HEAD' ? 'GET' : method, path)
  return matches.map(([[, route]]) => route).find((route) => route.method !== 'ALL')?.path ?? null
}

/** Refuses what no route answers, before anybody is asked to sign in for it: 404, or 405 with the methods that exist. */
export const requireRoute = (router: () => SiteRouter) =>
  createMiddleware<SiteEnv>(async function requireRoute(c, next) {
    const { method, path } = c.req
    if (routeOf(router(), method, path) === null) {
      const allowed = methods.filter((other) => routeOf(router(), other, path) !== null)
      throw allowed.length === 0
        ? notThere()
        : wrongMethod(allowed.flatMap((name) => (name === 'GET' ? ['GET', 'HEAD'] : [name])))
    }
    await next()
  })
