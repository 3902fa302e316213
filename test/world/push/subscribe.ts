import { Visitor } from '../client.ts'
import type { World } from '../world.ts'
import { makeDevice } from './device.ts'

/** The value of an attribute in a page. */
function attribute(page: string, name: string): string {
  const value = page.match(new RegExp(`\\s${name}="([^"]*)"`))?.[1] ?? ''
  return value.replaceAll('&amp;', '&').replaceAll('&quot;', '"')
}

/**
 * A phone opens a link of the app and gets push notifications there, as a browser with our script would. Returns what
 * went wrong, or ''.
 */
export async function subscribePhone(world: World, link: string, name: string): Promise<string> {
  const { appUrl } = world.options
  if (!link.startsWith(`${appUrl}/`)) return `The link must begin with ${appUrl}/.`
  const visitor = new Visitor(appUrl)
  try {
    const page = await visitor.page(link.slice(appUrl.length))
    const key = attribute(page, 'data-push')
    if (key === '') return 'That page offers no notifications.'
    const device = makeDevice({ name, applicationKey: key, isPhone: true })
    const answer = await visitor.request('/push/subscribe', {
      method: 'POST',
      headers: { 'x-csrftoken': attribute(page, 'data-csrf'), origin: new URL(appUrl).origin },
      body: new URLSearchParams({
        [attribute(page, 'data-name')]: attribute(page, 'data-value'),
        endpoint: `${world.url}/push/send/${device.id}`,
        p256dh: device.p256dh,
        auth: device.auth,
        device: name,
      }),
    })
    if (!answer.ok) return `The app answered ${answer.status}: ${await answer.text()}`
    world.devices.push(device)
    world.changed()
    return ''
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}
