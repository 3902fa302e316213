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

/** Safari on an iPhone allows notifications only for sites on the Home Screen. */
const isPhoneOfApple = /iPhone|iPad/.test(navigator.userAgent)
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
      .then(() => location.reload())
      .catch((error: unknown) => {
        said.textContent = error instanceof Error ? error.message : String(error)
        button.disabled = false
      })
  })
}

async function subscribe({ push: key = '', name = '', value = '', csrf = '' }: DOMStringMap): Promise<void> {
  if ((await Notification.requestPermission()) !== 'granted') {
    throw new Error('Notifications are blocked for this site. Allow them in the browser’s settings, then try again.')
  }
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
