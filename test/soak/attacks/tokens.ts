import { randomBytes } from 'node:crypto'
import type { Visitor } from '../../world/client.ts'
import { ATTACKER_PASSWORD, attackerName } from '../soak-accounts.ts'
import type { Attack, Attacker } from './attacker.ts'

const made = () => randomBytes(32).toString('base64url')

/** Well-formed cookies that were never issued. */
async function showForgedCookies(attacker: Attacker): Promise<void> {
  for (const path of [
    '/accounts/sessions/',
    '/accounts/email/',
    '/class_tracker/class_alerts/',
    '/scheduler/',
    '/admin/',
  ]) {
    const browser = attacker.browser()
    for (const name of ['session', '__Host-session', 'second_step', 'reset', 'code', 'oauth', 'sign_up', 'flash'])
      browser.jar.set(name, made())
    browser.jar.set('browser', `${made()}.${made()}`)
    await attacker.send(browser, path, { harmless: [302, 404] })
  }
  const headers = { authorization: `Bearer ${made()}`, accept: 'application/json' }
  await attacker.send(attacker.browser(), '/scheduler/metrics', { harmless: [302, 401, 404], headers })
  await attacker.send(attacker.browser(), '/scheduler/queues/stats.json', { harmless: [302, 401, 404], headers })
}

/** Links with keys that were never mailed, and a Discord callback that no one started. */
async function followForgedLinks(attacker: Attacker): Promise<void> {
  const browser = attacker.browser()
  const reset = `/accounts/password/reset/key/1-${made()}/`
  const password = 'mine from now on 1'
  const refused = { harmless: [200, 302, 401, 404, 410, 422] }
  const shown = await attacker.send(browser, reset, refused)
  if (shown?.status === 302) attacker.gained(`a form at ${reset}`)
  await attacker.post(browser, reset, { password1: password, password2: password }, refused)
  const confirm = `/accounts/confirm-email/${made()}/`
  const confirmed = await attacker.post(browser, confirm, { password1: password, password2: password }, refused)
  if (confirmed?.status === 303) attacker.gained(`a confirmation at ${confirm}`)
  await attacker.send(browser, `/accounts/discord/login/callback/?code=${made()}&state=${made()}`, refused)
}

/** Another user's token, in one's own browser. */
async function sendForeignToken(attacker: Attacker): Promise<void> {
  const token = await attacker.token(attacker.browser())
  const browser = attacker.browser()
  await attacker.token(browser)
  const body = () => new URLSearchParams({ email: 'student@example.com', csrf_token: token })
  const sent = { harmless: [403], method: 'POST' }
  await attacker.send(browser, '/accounts/password/reset/', { ...sent, body: body() })
  await attacker.send(attacker.browser(), '/accounts/password/reset/', { ...sent, body: body() })
  const headers = { origin: 'https://evil.example' }
  await attacker.send(browser, '/accounts/password/reset/', { ...sent, body: body(), headers })
}

/** Logs in to the attacker's own account; false if that failed. */
export async function logInAsSelf(attacker: Attacker, browser: Visitor): Promise<boolean> {
  const fields = { login: attackerName(attacker.number), password: ATTACKER_PASSWORD }
  const answer = await attacker.post(browser, '/accounts/login/', fields, { harmless: [303, 422], isOwn: true })
  return answer?.status === 303 && Boolean(browser.jar.get('session'))
}

/** An ordinary account requests what only others may see; then it logs out, and its cookie is sent again. */
async function useOwnAccount(attacker: Attacker): Promise<void> {
  const browser = attacker.browser()
  if (!(await logInAsSelf(attacker, browser))) return
  for (const path of [
    '/admin/',
    '/admin/users/1/',
    '/scheduler/',
    '/class_tracker/class_alerts/',
    '/class_tracker/get_schools',
  ])
    await attacker.send(browser, path, { harmless: [302, 404] })
  const refused = { harmless: [302, 404] }
  await attacker.post(browser, '/admin/users/1/', { is_superuser: 'on' }, refused)
  await attacker.post(browser, '/class_tracker/remove_recipient/1', {}, refused)
  const [invite] = attacker.target.known.publicInvites
  await attacker.post(browser, `/classcords/ajax/invites/${invite}/reject/`, { reason: 'mine' }, refused)
  const session = browser.jar.get('session') ?? ''
  const left = await attacker.post(browser, '/accounts/logout/', {}, { harmless: [302, 303] })
  if (left === null || left.status >= 400) return
  const replaying = attacker.browser()
  replaying.jar.set('session', session)
  await attacker.send(replaying, '/accounts/sessions/', { harmless: [302] })
}

export const tokens: readonly Attack[] = [
  { kind: 'forged cookies', run: showForgedCookies },
  { kind: 'forged links', run: followForgedLinks },
  { kind: 'tokens of others', run: sendForeignToken },
  { kind: 'rights of others, ended session', run: useOwnAccount },
]
