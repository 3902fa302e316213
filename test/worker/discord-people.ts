import { env } from 'cloudflare:workers'
import { expect } from 'vitest'
import { Visitor } from './visitor.ts'

/** People of the world's Discord, and the round trip as a browser makes it. */

export type Persona = 'manager' | 'regular' | 'newcomer' | 'stranger' | 'unverified' | 'mailless'

export const people: Record<Persona, { id: string; email: string | null; name: string }> = {
  manager: { id: '1170000000000000001', email: 'morgan@example.com', name: 'Morgan Reyes' },
  regular: { id: '1170000000000000002', email: 'riley@example.com', name: 'Riley Chen' },
  newcomer: { id: '1170000000000000003', email: 'noor@example.com', name: 'Noor Haddad' },
  stranger: { id: '1170000000000000004', email: 'sasha@example.com', name: 'Sasha Bell' },
  unverified: { id: '1170000000000000005', email: 'uma@example.com', name: 'Uma Kowalski' },
  mailless: { id: '1170000000000000006', email: null, name: 'Mika Lund' },
}
const trustedGuild = '1190000000000000001'
export const loginPath = '/accounts/discord/login/'
export const usualPlace = '/classcords/login-success/'

/** Afterwards no one has an account, and members of the world's trusted server may sign up. */
export async function deleteAllAccounts(): Promise<void> {
  await env.DB.batch([
    env.DB.prepare('DELETE FROM user'),
    env.DB.prepare('DELETE FROM discord_sign_up'),
    env.DB.prepare('DELETE FROM oauth_state'),
    env.DB.prepare(
      `INSERT INTO discord_server (server_id, name, privacy_level, is_required_for_trust, created_at) VALUES (?, 'Trusted', 'public', 1, 0)
       ON CONFLICT (server_id) DO UPDATE SET is_required_for_trust = 1`,
    ).bind(trustedGuild),
  ])
}

export interface DiscordForm {
  process?: string
  next?: string
  referral?: string
}

/** Presses Continue; returns the address at Discord. */
export async function setOff(visitor: Visitor, form: DiscordForm = {}): Promise<URL> {
  await visitor.see(`${loginPath}?${new URLSearchParams({ ...form })}`)
  const answer = await visitor.submit(loginPath, { ...form })
  expect(answer.status).toBe(303)
  return new URL(answer.headers.get('location') ?? '')
}

/** Selects a persona at Discord; returns where Discord sends the browser, as a path of ours. */
export async function pick(address: URL, persona: Persona | 'deny'): Promise<string> {
  const chosen = new URL(address)
  chosen.searchParams.set('persona', persona)
  const answer = await fetch(chosen, { redirect: 'manual' })
  const back = new URL(answer.headers.get('location') ?? '')
  expect([answer.status, back.origin]).toEqual([302, env.APP_URL])
  return back.pathname + back.search
}

/** The whole round trip; returns the callback's answer. */
export async function goThroughDiscord(
  visitor: Visitor,
  persona: Persona | 'deny',
  form: DiscordForm = {},
): Promise<Response> {
  return visitor.get(await pick(await setOff(visitor, form), persona))
}

export const placeOf = (answer: Response): [number, string | null] => [answer.status, answer.headers.get('location')]

/** A user who has just logged in through Discord. */
export async function loggedInThrough(persona: Persona): Promise<Visitor> {
  const visitor = new Visitor()
  expect(placeOf(await goThroughDiscord(visitor, persona))).toEqual([302, usualPlace])
  return visitor
}

/** Links a persona's Discord account to the user who is logged in. */
export async function connect(visitor: Visitor, persona: Persona): Promise<void> {
  expect(placeOf(await goThroughDiscord(visitor, persona, { process: 'connect' }))).toEqual([
    302,
    '/accounts/3rdparty/',
  ])
}

/** Submits the form of the connections page. */
export async function disconnect(visitor: Visitor): Promise<Response> {
  const { html } = await visitor.see('/accounts/3rdparty/')
  const account = /name="account"[^>]*value="(\d+)"/.exec(html)?.[1] ?? ''
  return visitor.submit('/accounts/3rdparty/', { account })
}

interface StoredDiscordUser {
  id: number
  user_id: number
  discord_id: string
  username: string
  display_name: string
  avatar: string | null
  is_verified: number
  role: string
  login_count: number
  first_login_at: number
  last_login_at: number
  sealed_tokens: string | null
  tokens_expire_at: number | null
  unlinked_at: number | null
  is_disabled: number
}

export async function discordUsers(): Promise<StoredDiscordUser[]> {
  const { results } = await env.DB.prepare('SELECT * FROM discord_user ORDER BY id').all<StoredDiscordUser>()
  return results
}
