import type { SiteContext } from '../../web/site.ts'
import { signInCodeMail, unknownAccountMail } from '../mails/mails.ts'
import { type Letter, writeDown, type WaitingMail } from '../mails/post-mail.ts'
import { siteAddress } from '../mails/site-address.ts'

/** The mail with a code; to an address nobody has, one that says so. */
export function codeMail(
  c: SiteContext,
  { userId, address, code }: { userId: number | null; address: string; code: string },
  now: number,
): Promise<WaitingMail> {
  const letter: Letter =
    userId === null
      ? {
          kind: 'unknown_account',
          address,
          userId: null,
          mail: unknownAccountMail(address, siteAddress(c.env, '/accounts/signup/')),
        }
      : { kind: 'sign_in_code', address, userId, mail: signInCodeMail(code) }
  return writeDown(c.env, letter, now)
}
