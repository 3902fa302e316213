import { mkdir } from 'node:fs/promises'
import type { Browser } from 'playwright-core'
import { test } from 'vitest'
import { startApp, type App } from './app.ts'
import { startGooglePush, type GooglePush } from '../world/google/push-service.ts'
import { fullChromium, launchChromium, openProfile } from './chromium.ts'
import { Contexts } from './contexts.ts'
import { beginSession } from './session.ts'
import { Visit, type VisitOptions } from './visit.ts'

/** What a journey works with. */
export interface Scene {
  app: App
  /** Opens another person's browser. */
  visit(options?: VisitOptions): Promise<Visit>
  /** The same in a browser that supports notifications; null without a full Chromium. */
  ownBrowser(options?: VisitOptions): Promise<Visit | null>
  /** A visit in a session of staff, on a page. */
  staff(path: string, options?: VisitOptions): Promise<Visit>
}

const screenshots = '.build/screenshots'
/** No page lives long enough to be worth V8's optimizing compilers, which took a fifth of the pages' CPU time. */
const unoptimized = '--js-flags=--no-opt --no-maglev --single-threaded'

/** What all journeys of a process work with: the last one ends it. */
interface Shared {
  contexts: Contexts
  app: App
  /** With a full Chromium, which subscribes to notifications with Google's servers. */
  google: GooglePush | undefined
  /** How the journey before ended. Until there is one, the app is as empty as after a reset. */
  before: 'none' | 'passed' | 'failed'
}

const withShared = test
  .extend('hasPush', { scope: 'worker' }, fullChromium !== undefined)
  .extend('shared', { scope: 'worker' }, async ({ hasPush }, { onCleanup }): Promise<Shared> => {
    const google = hasPush ? await startGooglePush() : undefined
    const [browser, app] = await Promise.all([
      launchChromium('--process-per-site', unoptimized),
      startApp({ googleUrl: google?.url }),
    ])
    onCleanup(async () => {
      await Promise.all([browser.close(), app.close(), google?.close()])
    })
    return { contexts: new Contexts(browser), app, google, before: 'none' }
  })

/**
 * One journey through the product, with a separate world and database filled by `seed`. It also fails on anything its
 * visits recorded; then the current screens are saved.
 */
export function journey(name: string, seed: (app: App) => Promise<void>, run: (scene: Scene) => Promise<void>): void {
  withShared(name, async ({ shared }) => {
    const { contexts, app, google } = shared
    if (shared.before !== 'none') await app.reset(shared.before === 'passed')
    shared.before = 'failed'
    await seed(app).catch(async (error) => {
      // A database that was emptied while it began may break only now, with the first work that it is given.
      if (!String(error).includes('internal error')) throw error
      await app.reset(false)
      await seed(app)
    })
    const visits: Visit[] = []
    const scene: Scene = {
      app,
      async visit(options) {
        const visit = await Visit.start(contexts, app.url, options)
        visits.push(visit)
        return visit
      },
      async ownBrowser(options) {
        if (google === undefined) return null
        const { switches } = google
        const newContext: Browser['newContext'] = (look = {}) => openProfile(look, ...switches)
        const visit = await Visit.start(new Contexts({ newContext }), app.url, options)
        visits.push(visit)
        return visit
      },
      async staff(path, options) {
        const visit = await scene.visit(options)
        await beginSession(app, visit, 'admin')
        await visit.open(path)
        return visit
      },
    }
    try {
      await run(scene)
      const problems = [...visits.flatMap((visit) => visit.problems()), ...app.failures()]
      // An assertion's message would be cut short.
      if (problems.length > 0) throw new Error(problems.join('\n'))
      shared.before = 'passed'
    } catch (error) {
      for (const problem of visits.flatMap((visit) => visit.problems())) console.error(problem)
      await keepScreens(name, visits)
      throw error
    } finally {
      await Promise.all(visits.map((visit) => visit.end(shared.before === 'passed')))
    }
  })
}

async function keepScreens(name: string, visits: readonly Visit[]): Promise<void> {
  await mkdir(screenshots, { recursive: true })
  const file = `${screenshots}/${name.replace(/\W+/g, '-').toLowerCase()}`
  for (const [index, visit] of visits.entries()) await visit.keepScreens(`${file}-${index + 1}`)
}
