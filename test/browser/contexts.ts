import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'

/** A context without anyone's data, and its only page. */
export interface FreshContext {
  context: BrowserContext
  page: Page
}

/** A page of the app that stores nothing and runs no script. */
const emptyPage = '/robots.txt'

/**
 * The contexts of one browser. A context that nobody uses any more is emptied and used again, because the first page of
 * a new one costs 0.9 s of CPU time, and the next page in the same process 0.1 s.
 */
export class Contexts {
  readonly #browser: Pick<Browser, 'newContext'>
  /** Contexts that are not in use, by their options. */
  readonly #resting = new Map<string, FreshContext[]>()

  constructor(browser: Pick<Browser, 'newContext'>) {
    this.#browser = browser
  }

  /** @param prepare is called once for a new context, before its first page */
  async begin(
    options: BrowserContextOptions,
    prepare: (context: BrowserContext) => Promise<unknown>,
  ): Promise<FreshContext> {
    const rested = this.#resting.get(JSON.stringify(options))?.pop()
    if (rested) return rested
    const context = await this.#browser.newContext(options)
    await prepare(context)
    return { context, page: await context.newPage() }
  }

  /**
   * Removes everything that its user and their pages left in a context, except for cached files, which never change.
   * Anything set for the whole context (permissions, routes, a clock) remains: then it must be closed instead.
   */
  async end(options: BrowserContextOptions, { context, page }: FreshContext): Promise<void> {
    try {
      await empty(context, page)
    } catch {
      // Its page crashed, hangs or was closed.
      return context.close()
    }
    const key = JSON.stringify(options)
    this.#resting.set(key, [...(this.#resting.get(key) ?? []), { context, page }])
  }
}

async function empty(context: BrowserContext, page: Page): Promise<void> {
  const others = context.pages().filter((one) => one !== page)
  await Promise.all(others.map((one) => one.close()))
  page.removeAllListeners()
  await page.unrouteAll({ behavior: 'ignoreErrors' })
  await page.goto(emptyPage)
  await page.evaluate(() => sessionStorage.clear())
  await context.clearCookies()
  await page.mouse.move(0, 0)
  const session = await context.newCDPSession(page)
  await session.send('Page.resetNavigationHistory')
  await session.send('Storage.clearDataForOrigin', { origin: new URL(page.url()).origin, storageTypes: 'all' })
  await session.detach()
}
