import type { BrowserContext, BrowserContextOptions, CDPSession, Clock, Locator, Page } from 'playwright-core'
import { SIGN_INS } from '../world/start/seed.ts'
import type { Contexts } from './contexts.ts'
import { axeFindings, layoutShift, mostShift, settledStyle, whatIsTooWide, zoomedSizes } from './look.ts'

export interface Look {
  width?: number
  height?: number
  isDark?: boolean
}

export interface VisitOptions extends Look {
  javaScriptEnabled?: boolean
  /** 2 with half the width is what zooming to 200 % does. */
  deviceScaleFactor?: number
  /** Which other hosts may be requested, besides the app. */
  otherOrigins?: readonly string[]
  /** Whether pictures of its pages are wanted; default: false. */
  isDrawn?: boolean
  /** Whether its screens are measured at 200 % zoom, too; default: false, because those of others are in `zoom`. */
  isZoomed?: boolean
}

const phone = 390
const desk = 1280
const tall = 800
/** Pages that nobody looks at are painted this small, because painting took a fifth of their CPU time. */
const smallScale = 0.1
/** How long anything in a browser may take on a busy machine, in ms. */
const patience = 30_000
const refused =
  /^Failed to load resource: (?:the server responded with a status of (\d+)|(net::ERR_INTERNET_DISCONNECTED))/

/**
 * Waits until every island is hydrated. It asks as the page's own script would: Playwright's waits first load 340 KB into
 * the page, which takes as long as most pages do.
 */
async function hydrated(page: Page): Promise<void> {
  for (;;) {
    try {
      return await page.evaluate(
        (patience) =>
          new Promise<void>((resolve, reject) => {
            // React marks each element it has hydrated.
            const isHydrated = ({ firstElementChild: first }: Element): boolean =>
              Object.keys(first ?? {}).some((key) => key.startsWith('__reactFiber'))
            const deadline = performance.now() + patience
            const look = (): void => {
              const waiting = [...document.querySelectorAll('[data-island]')].filter((island) => !isHydrated(island))
              if (waiting.length === 0) resolve()
              else if (performance.now() < deadline) setTimeout(look, 10)
              else
                reject(new Error(`Not hydrated: ${waiting.map((island) => island.outerHTML.slice(0, 80)).join(', ')}`))
            }
            look()
          }),
        patience,
      )
    } catch (error) {
      // The page led on to another one, which is then the one to wait for.
      if (!String(error).includes('Execution context was destroyed')) throw error
      await page.waitForLoadState('load')
    }
  }
}

type Cookie = Parameters<BrowserContext['addCookies']>[0][number]

interface Size {
  width: number
  height: number
}

const sessions = new WeakMap<Page, Promise<CDPSession>>()
const themes = new WeakMap<Page, 'dark' | 'light'>()

/**
 * Gives a page a window of this size, painted at this scale, as if seen from afar: its layout and its input keep their
 * true size. Playwright would lay it out at the full scale first, and knows nothing of this size.
 */
async function paint(page: Page, { width, height }: Size, scale: number, deviceScaleFactor = 1): Promise<void> {
  const session = sessions.get(page) ?? page.context().newCDPSession(page)
  // What a session has set ends with it.
  sessions.set(page, session)
  await (
    await session
  ).send('Emulation.setDeviceMetricsOverride', {
    width,
    height,
    deviceScaleFactor,
    mobile: false,
    screenWidth: width,
    screenHeight: height,
    viewport: { x: 0, y: 0, width, height, scale },
  })
}

async function show(page: Page, look: Look, { deviceScaleFactor, isDrawn = false }: VisitOptions): Promise<void> {
  const { width = desk, height = tall, isDark = false } = look
  const theme = isDark ? 'dark' : 'light'
  if (themes.get(page) !== theme) await page.emulateMedia({ colorScheme: theme })
  themes.set(page, theme)
  await (isDrawn
    ? page.setViewportSize({ width, height })
    : paint(page, { width, height }, smallScale, deviceScaleFactor))
}

/** Paints a page in full, for a picture of it. */
async function drawn(page: Page, { deviceScaleFactor }: VisitOptions): Promise<void> {
  const size = await page.evaluate(() => ({ width: innerWidth, height: innerHeight }))
  await page.setViewportSize(size)
  await paint(page, size, 1, deviceScaleFactor)
}

/** Reports what the content security policy blocks to the console. */
function reportBlocked(): void {
  document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) => {
    console.error(`Against the content security policy: ${violatedDirective} ${blockedURI}`)
  })
}

/** One person's browser: everything that the product does wrong in it is recorded, and fails the journey at its end. */
export class Visit {
  /** The clock belongs to the whole context: `Visit.clock`. */
  readonly page: Page & { clock: never }
  readonly #context: BrowserContext
  readonly #origin: string
  readonly #options: VisitOptions
  readonly #problems: string[] = []
  readonly #expected = new Map<number, boolean>()
  readonly #end: (isEmptied: boolean) => Promise<void>
  #isAltered = false

  static async start(contexts: Contexts, origin: string, options: VisitOptions = {}): Promise<Visit> {
    const { javaScriptEnabled = true, deviceScaleFactor = 1 } = options
    const fixed: BrowserContextOptions = {
      baseURL: origin,
      reducedMotion: 'reduce',
      javaScriptEnabled,
      deviceScaleFactor,
      // Nothing may depend on the browser's location: the server decides.
      timezoneId: 'Pacific/Auckland',
      locale: 'de-DE',
    }
    const fresh = await contexts.begin(fixed, async (context) => {
      context.setDefaultTimeout(patience)
      await context.addInitScript(reportBlocked)
    })
    const { context, page } = fresh
    await page.emulateMedia({ media: null, reducedMotion: 'reduce' })
    await show(page, options, options)
    const end = (isEmptied: boolean): Promise<void> => (isEmptied ? contexts.end(fixed, fresh) : context.close())
    return new Visit(context, page, origin, options, end)
  }

  private constructor(
    context: BrowserContext,
    page: Page,
    origin: string,
    options: VisitOptions,
    end: (isEmptied: boolean) => Promise<void>,
  ) {
    this.#context = context
    this.page = page as Page & { clock: never }
    this.#origin = origin
    this.#options = options
    this.#end = end
    this.#watch(page)
  }

  /** What applies to all of the person's pages. Who changes it leaves a context that no other visit can use. */
  get context(): BrowserContext {
    this.#isAltered = true
    return this.#context
  }

  /** The time of all the person's pages. */
  get clock(): Clock {
    return this.context.clock
  }

  async addCookie(cookie: Cookie): Promise<void> {
    await this.#context.addCookies([cookie])
  }

  pages(): Page[] {
    return this.#context.pages()
  }

  /** @param isSound whether another visit may use the context; default: true */
  async end(isSound = true): Promise<void> {
    await this.#end(isSound && !this.#isAltered)
  }

  #watch(page: Page): void {
    const wrong = (what: string): void => {
      this.#problems.push(`${new URL(page.url()).pathname}: ${what}`)
    }
    page.on('console', (message) => {
      if (message.type() !== 'error' && message.type() !== 'warning') return
      const [isRefusal, status = '0'] = refused.exec(message.text()) ?? []
      if (isRefusal && this.#expected.has(Number(status))) this.#expected.set(Number(status), true)
      else wrong(`${message.type()} in the console: ${message.text()} (${message.location().url})`)
    })
    page.on('pageerror', (error) => wrong(`uncaught: ${error.stack ?? error.message}`))
    page.on('crash', () => wrong('the page crashed'))
    page.on('dialog', (dialog) => {
      wrong(`the browser's own ${dialog.type()}: ${dialog.message()}`)
      void dialog.dismiss()
    })
    page.on('request', (request) => {
      const { origin, protocol } = new URL(request.url())
      const isKnown = origin === this.#origin || this.#options.otherOrigins?.includes(origin)
      if (!isKnown && protocol !== 'data:') wrong(`asked somebody else: ${request.url()}`)
    })
  }

  /** Another tab of the same person. */
  async tab(): Promise<Visit> {
    const page = await this.#context.newPage()
    await show(page, this.#options, this.#options)
    return new Visit(this.#context, page, this.#origin, this.#options, this.#end)
  }

  /** From here on the browser may report answers with this status (0: no answer), and must do so at least once. */
  expectStatus(status: number): void {
    if (!this.#expected.has(status)) this.#expected.set(status, false)
  }

  /** Goes to an address and waits until the page's islands are hydrated. */
  async open(path: string): Promise<void> {
    await this.page.goto(path)
    await this.settle()
  }

  /** Waits until the current page has loaded and its islands are hydrated. */
  async settle(): Promise<void> {
    await this.page.waitForLoadState('load')
    if (this.#options.javaScriptEnabled === false) return
    await hydrated(this.page)
  }

  /** Presses a link to another page, and waits for that page. */
  async follow(link: Locator): Promise<void> {
    await Promise.all([this.page.waitForEvent('domcontentloaded'), link.click()])
    await this.settle()
  }

  /** The focused element, by its label or its text. */
  async focused(): Promise<string> {
    return this.page.evaluate(() => {
      const { activeElement: element } = document
      if (element === null || element === document.body) return 'nothing'
      const label = element.id === '' ? null : document.querySelector(`label[for="${element.id}"]`)
      return (element.getAttribute('aria-label') ?? label?.textContent ?? element.textContent).trim()
    })
  }

  async logIn(username: 'admin' | 'student', path = '/class_tracker/login_view/'): Promise<void> {
    await this.open(path)
    await this.page.getByLabel(/^Username/).fill(username)
    await this.page.getByLabel('Password').fill(SIGN_INS.find((one) => one.username === username)?.password ?? '')
    await this.follow(this.page.getByRole('button', { name: /^log in$/i }))
  }

  /**
   * Checks the current screen on a desktop in one theme and on a phone in the other: nothing wider than the window,
   * nothing that axe finds, and no transition between the two, because these browsers request reduced motion. `state`
   * names it in failures.
   */
  async inspect(state: string, isZoomed = this.#options.isZoomed ?? false): Promise<void> {
    await this.#inEveryLook(state, isZoomed, async (width) => {
      await this.#measure(state, width)
      await this.#askAxe(state, width)
    })
  }

  /** The same of a page that was just opened, also at 200 % zoom and without anything that moved: `zoom` leaves it out. */
  async inspectScreen(state: string): Promise<void> {
    const shift = await layoutShift(this.page)
    if (shift > mostShift) this.#problems.push(`${state} has a layout shift of ${shift.toFixed(3)}`)
    await this.inspect(state, true)
  }

  /** The same without axe, for pages so long that it would take minutes, or without a script. */
  async measure(state: string): Promise<void> {
    await this.#inEveryLook(state, this.#options.isZoomed ?? false, (width) => this.#measure(state, width))
  }

  async #inEveryLook(state: string, isZoomed: boolean, look: (width: number) => Promise<void>): Promise<void> {
    const { width = desk, isDark = false } = this.#options
    await look(width)
    const other = width === phone ? desk : phone
    const changes = await this.show({ width: other, isDark: !isDark })
    if (changes > 0)
      this.#problems.push(`${state} moves although less motion is asked for, gradual changes: ${changes}`)
    await look(other)
    if (isZoomed)
      for (const size of zoomedSizes) {
        await this.show({ ...size, isDark: !isDark })
        await this.#measure(`${state}, zoomed,`, size.width)
      }
    await this.show({ width, isDark })
  }

  /** Gives its page another window or theme. @returns how many changes were animated */
  async show(look: Look): Promise<number> {
    await show(this.page, look, this.#options)
    return settledStyle(this.page)
  }

  /** Saves what its pages look like, each in a file of this name and a number. */
  async keepScreens(name: string): Promise<void> {
    for (const [index, page] of this.pages().entries()) {
      const path = `${name}-${index + 1}.png`
      // A page that can no longer be drawn has nothing to show.
      await drawn(page, this.#options)
        .then(() => page.screenshot({ path }))
        .catch(() => undefined)
    }
  }

  async #measure(state: string, width: number): Promise<void> {
    const wide = await whatIsTooWide(this.page)
    if (wide !== null) this.#problems.push(`${state} at ${width} px is ${wide}`)
  }

  async #askAxe(state: string, width: number): Promise<void> {
    if (this.#options.javaScriptEnabled === false) return
    for (const finding of await axeFindings(this.page)) this.#problems.push(`${state} at ${width} px, ${finding}`)
  }

  /** What went wrong so far. */
  problems(): string[] {
    const unseen = [...this.#expected].filter(([, isSeen]) => !isSeen)
    return [...this.#problems, ...unseen.map(([status]) => `no answer had the status ${status}, though one should`)]
  }
}
