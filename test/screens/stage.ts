import type { Browser } from 'playwright-core'
import type { App } from '../browser/app.ts'
import { Contexts } from '../browser/contexts.ts'
import { member } from '../browser/directory.ts'
import type { Scene as JourneyScene } from '../browser/journey.ts'
import { seedDifficultDirectory } from '../browser/seed-directory.ts'
import { seedExtremes } from '../browser/seed-extremes.ts'
import { beginSession } from '../browser/session.ts'
import { Visit } from '../browser/visit.ts'
import { seedDirectoryGallery } from './gallery/directory.ts'
import { seedJobs } from './scheduler-screens.ts'
import type { Role, Scene } from './screen.ts'
import { renewGallery, seedGallery } from './seed-gallery.ts'

export const seeds: Readonly<Record<Scene, (app: App) => Promise<void>>> = {
  async tracker(app) {
    await seedExtremes(app)
    await seedJobs(app)
  },
  directory: seedDifficultDirectory,
  'tracker gallery': seedGallery,
  'directory gallery': seedDirectoryGallery,
}

/** An app with data, and one browser for each person. */
export class Stage {
  readonly #app: App
  readonly #contexts: Contexts
  readonly #visits = new Map<Role, Visit>()
  #scene: Scene | null = null

  constructor(app: App, browser: Browser) {
    this.#app = app
    this.#contexts = new Contexts(browser)
  }

  /** Loads the scene's data, unless it is there already. */
  async set(scene: Scene): Promise<void> {
    if (this.#scene === scene) return
    await this.clear()
    if (this.#scene !== null) await this.#app.reset()
    await seeds[scene](this.#app)
    this.#scene = scene
  }

  /** A gallery shows the same time, however long its pictures take. */
  async renew(): Promise<void> {
    if (this.#scene === 'tracker gallery') await renewGallery(this.#app)
  }

  /** The person's browser, logged in. */
  async visitOf(role: Role): Promise<Visit> {
    const known = this.#visits.get(role)
    if (known) return known
    const visit = await this.#enter(role)
    this.#visits.set(role, visit)
    return visit
  }

  /** All browsers are closed. */
  async clear(): Promise<void> {
    await Promise.all([...this.#visits.values()].map((visit) => visit.end(false)))
    this.#visits.clear()
  }

  #enter(role: Role): Promise<Visit> {
    const visit: JourneyScene['visit'] = () =>
      Visit.start(this.#contexts, this.#app.url, { otherOrigins: [this.#app.world.url], isDrawn: true })
    return enter(role, { app: this.#app, visit })
  }
}

/** A new browser of this person, logged in. */
export async function enter(role: Role, scene: Pick<JourneyScene, 'app' | 'visit'>): Promise<Visit> {
  if (role === 'member') return member(scene, 'regular', '/classcords/')
  if (role === 'manager') return member(scene, 'manager', '/classcords/')
  const visit = await scene.visit({ otherOrigins: [scene.app.world.url] })
  if (role === 'staff') await beginSession(scene.app, visit, 'admin')
  if (role === 'student') await beginSession(scene.app, visit, 'student')
  return visit
}
