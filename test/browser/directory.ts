import type { Locator } from 'playwright-core'
import { memberName } from '../world/start/seed.ts'
import type { Scene } from './journey.ts'
import { beginSession } from './session.ts'
import type { Visit, VisitOptions } from './visit.ts'

/** A visitor who may be sent to Discord and come back. */
export function visitor({ app, visit }: Pick<Scene, 'app' | 'visit'>, options: VisitOptions = {}): Promise<Visit> {
  return visit({ ...options, otherOrigins: [app.world.url] })
}

/** Logs in with the current page's button, as a Discord persona. Ends where the app leads. */
export async function comeThroughDiscord(visit: Visit, persona: string): Promise<void> {
  await visit.follow(visit.page.getByRole('button', { name: 'Sign in with Discord' }))
  await visit.follow(visit.page.locator(`a[href$="persona=${persona}"]`))
}

/** A member of the directory on one of its pages, in a session that began without Discord's pages. */
export async function member(
  scene: Pick<Scene, 'app' | 'visit'>,
  persona: 'manager' | 'regular',
  path: string,
  options: VisitOptions = {},
): Promise<Visit> {
  const visit = await visitor(scene, options)
  await beginSession(scene.app, visit, memberName(persona))
  await visit.open(path)
  return visit
}

export const placeOf = ({ page }: Visit): string => new URL(page.url()).pathname

/** The open dialog; the page's messages are dialogs, too. */
export const dialogOf = ({ page }: Visit): Locator => page.locator('dialog[open]:not(.message)')

/** The card of a server in a list. */
export const cardOf = ({ page }: Visit, name: string): Locator =>
  page.getByRole('article').filter({ has: page.getByRole('heading', { name, exact: true }) })

/** The link from a server's card to its page. */
export const titleOf = (visit: Visit, name: string): Locator =>
  cardOf(visit, name).getByRole('heading').getByRole('link')

export async function closeDialog(visit: Visit): Promise<void> {
  await visit.page.keyboard.press('Escape')
  await dialogOf(visit).waitFor({ state: 'detached' })
}

/**
 * No one leaves for the real Discord: a join that leads there ends in an empty page.
 * @returns where the joins would have led
 */
export async function holdDiscord({ context }: Visit): Promise<string[]> {
  const places: string[] = []
  await context.route('**/classcords/join/**', async (route) => {
    const answer = await route.fetch({ maxRedirects: 0 })
    const place = answer.headers()['location']
    if (place?.startsWith('https://discord.gg/') !== true) return route.fulfill({ response: answer })
    places.push(place)
    return route.fulfill({ contentType: 'text/html', body: 'Discord' })
  })
  return places
}
