import { base32 } from 'oslo/encoding'
import { generateHOTP } from 'oslo/otp'
import { expect, vi } from 'vitest'
import { placeOf } from './discord-people.ts'
import { mailTo } from './mailbox.ts'
import { addUser, goodPassword, Visitor } from './visitor.ts'

/** People with an authenticator app, and a stopped clock. */

export const overview = '/accounts/2fa/'
export const activatePath = '/accounts/2fa/totp/activate/'
export const authenticate = '/accounts/2fa/authenticate/'
const stepMs = 30_000

/** Only the clock is stopped, at the beginning of a step: no code expires while a test runs. */
export function holdClock(): void {
  vi.useFakeTimers({ toFake: ['Date'], now: Math.ceil(Date.now() / stepMs) * stepMs + 1000 })
}
export const passSteps = (count: number) => vi.setSystemTime(Date.now() + count * stepMs)

export interface Owner {
  user: { id: number; username: string; email: string }
  visitor: Visitor
  secret: Uint8Array
  codes: string[]
}

/** The code that an app shows this many steps from now. */
export const codeAt = (secret: Uint8Array, steps = 0) => generateHOTP(secret, Math.floor(Date.now() / stepMs) + steps)

/** What the activation page offers. */
export async function offered(visitor: Visitor): Promise<{ offer: string; secret: Uint8Array; html: string }> {
  const { html } = await visitor.see(activatePath)
  const offer = /name="offer" value="([^"]+)"/.exec(html)?.[1] ?? ''
  const typed = /<code>([A-Z2-7 ]+)<\/code>/.exec(html)?.[1] ?? ''
  return { offer, secret: base32.decode(typed.replaceAll(' ', ''), { strict: false }), html }
}

export const codesIn = (html: string): string[] =>
  [...html.matchAll(/<code>(\d{8})<\/code>/g)].map(([, code]) => code ?? '')

/** A user with an authenticator app, two steps after its activation. */
export async function owner(): Promise<Owner> {
  const user = await addUser()
  const visitor = await Visitor.loggedInAs(user)
  const { offer, secret } = await offered(visitor)
  const answer = await visitor.submit(activatePath, { offer, code: await codeAt(secret) })
  expect(answer.status).toBe(200)
  const { html } = await visitor.read(answer)
  passSteps(2)
  return { user, visitor, secret, codes: codesIn(html) }
}

/** A user who has entered the right password. */
export async function halfIn(user: { username: string }, fields: Record<string, string> = {}): Promise<Visitor> {
  const visitor = new Visitor()
  await visitor.see('/accounts/login/')
  const answer = await visitor.submit('/accounts/login/', { login: user.username, password: goodPassword, ...fields })
  expect(placeOf(answer)).toEqual([303, authenticate])
  expect(visitor.cookies.has('session')).toBe(false)
  await visitor.see(authenticate)
  return visitor
}

/** Waits until an email with this subject has arrived. */
export async function mailArrives(address: string, subject: string): Promise<void> {
  const whole = `[Class Cords] ${subject}`
  expect((await mailTo(address, whole)).subject).toBe(whole)
}
