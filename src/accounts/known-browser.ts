import { readCookie, writeCookie } from '../web/security/cookies.ts'
import { isSigned, randomToken, signatureOf } from '../web/security/signing.ts'
import type { SiteContext } from '../web/site.ts'
import type { LoginUser } from './find-user.ts'

const purpose = 'known-browser'
const MAX_ACCOUNTS = 5
const KEEP_SECONDS = 180 * 24 * 60 * 60

/** A new password revokes the proof. `created_at` distinguishes two users who had the same id at different times. */
export type ProvenAccount = Pick<LoginUser, 'id' | 'password_hash' | 'created_at'>

const textOf = (browserId: string, { id, created_at, password_hash }: ProvenAccount): string =>
  [browserId, id, created_at, password_hash ?? ''].join('\n')

function read(c: SiteContext): { browserId: string; proofs: string[] } | null {
  const [browserId, ...proofs] = readCookie(c, 'browser')?.split('.') ?? []
  return browserId ? { browserId, proofs: proofs.slice(0, MAX_ACCOUNTS) } : null
}

/** The cookie holds a random id and a signature for each of the last five accounts, without their names. */
export async function rememberBrowser(c: SiteContext, account: ProvenAccount): Promise<void> {
  const { browserId, proofs } = read(c) ?? { browserId: randomToken(), proofs: [] }
  const proof = await signatureOf(c.env, purpose, textOf(browserId, account))
  const kept = [proof, ...proofs.filter((one) => one !== proof)].slice(0, MAX_ACCOUNTS)
  writeCookie(c, 'browser', [browserId, ...kept].join('.'), KEEP_SECONDS)
}

/** The id of this browser if someone logged in to the account in it before, with the current password; else null. */
export async function knownBrowser(c: SiteContext, account: ProvenAccount): Promise<string | null> {
  const found = read(c)
  if (!found) return null
  const text = textOf(found.browserId, account)
  for (const proof of found.proofs) if (await isSigned(c.env, purpose, text, proof)) return found.browserId
  return null
}

/** A known browser has limits of its own, so that strangers cannot lock the owner out. */
export async function limitKeyOf(c: SiteContext, account: ProvenAccount & { username: string }): Promise<string> {
  const browserId = await knownBrowser(c, account)
  return browserId === null ? account.username : `${account.username} browser:${browserId}`
}
