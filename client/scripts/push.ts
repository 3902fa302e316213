import { sendSubscription } from '../service-worker/device.ts'
import './ages.ts'

/* Offers notifications where a page has a [data-push] block (components/push-offer.tsx), and keeps ages up to date. */

/** A name for this browser that its owner recognizes. */
function deviceName(agent: string): string {
  const browsers = [/(Edg)/, /(Firefox|FxiOS)/, /(SamsungBrowser)/, /(Chrome|CriOS)/, /(Safari)/]
  const names: Readonly<Record<string, string>> = { Edg: 'Edge', FxiOS: 'Firefox', CriOS: 'Chrome' }
  const found = browsers.map((one) => one.exec(agent)?.[1]).find(Boolean) ?? 'Browser'
  const system = /iPhone|iPad|Android|Windows|CrOS|Mac|Linux/.exec(agent)?.[0] ?? ''
  const browser = names[found] ?? found
  return system === '' ? browser : `${browser} on ${system}`
}

/** Safari on an iPhone allows notifications only for sites on the Home Screen. An iPad says that it is a Mac. */
const isPhoneOfApple =
  /iPhone|iPad/.test(navigator.userAgent) || (/Macintosh/.test(navigator.userAgent) && navigator.maxTouchPoints > 1)
const canPush = 'serviceWorker' in navigator && 'PushManager' in window && 'Notification' in window

function begin(offer: HTMLElement): void {
  const button = offer.querySelector('button')
  const said = offer.querySelector('[role=status]')
  const hint = offer.querySelector<HTMLElement>('[data-push-home-screen]')
  if (!button || !said || !hint) return
  offer.hidden = false
  if (!canPush) {
    button.hidden = true
    hint.hidden = !isPhoneOfApple
    if (!isPhoneOfApple) said.textContent = 'This browser cannot show notifications.'
    return
  }
  button.addEventListener('click', () => {
    button.disabled = true
    said.textContent = ''
    subscribe(offer.dataset)
      // From the top, where the new page says that they are on.
      .then(() => location.replace(location.pathname))
      .catch((error: unknown) => {
        said.textContent = failureText(error)
        button.disabled = false
      })
  })
}

/** The sentences of this site are plain errors. A browser's own errors are written for developers. */
const failureText = (error: unknown): string =>
  error instanceof Error && error.name === 'Error'
    ? error.message
    : 'Notifications could not be turned on. Check the connection and try again.'

const refusals: Readonly<Partial<Record<NotificationPermission, string>>> = {
  denied: 'Notifications are blocked for this site. Allow them in the browser’s settings, then try again.',
  default: 'Notifications need your permission. Try again and choose “Allow”.',
}

async function subscribe({ push: key = '', name = '', value = '', csrf = '' }: DOMStringMap): Promise<void> {
  const refusal = refusals[await Notification.requestPermission()]
  if (refusal !== undefined) throw new Error(refusal)
  const registration = await navigator.serviceWorker.register('/service-worker.js')
  await navigator.serviceWorker.ready
  const subscription = await subscriptionFor(registration.pushManager, key)
  const fields = { [name]: value, device: deviceName(navigator.userAgent) }
  await sendSubscription(subscription, { 'x-csrftoken': csrf }, fields)
}

/** A subscription made with an earlier key of ours is useless. */
async function subscriptionFor(manager: PushManager, key: string): Promise<PushSubscription> {
  const options = { userVisibleOnly: true, applicationServerKey: key }
  try {
    return await manager.subscribe(options)
  } catch (error) {
    const former = await manager.getSubscription()
    if (!former) throw error
    await former.unsubscribe()
    return manager.subscribe(options)
  }
}

for (const offer of document.querySelectorAll<HTMLElement>('[data-push]')) begin(offer)
