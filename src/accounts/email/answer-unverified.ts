import type { Query } from '../../db/query.ts'
import type { MailedUser } from '../find-user.ts'
import { unknownAccountMail } from '../mails/mails.ts'
import type { NewMail } from '../mails/post-mail.ts'
import { siteAddress } from '../mails/links.ts'
import { confirmationMail, makeConfirmationKey } from './send-confirmation.ts'

/**
 * Prepares the email to an unverified address for which someone requests access: a confirmation link if an account has
 * the address, otherwise a note that there is none. `adding` writes nothing without an account, so that both cases take
 * the same time.
 * @param user the account that has the address, unverified; null for none
 * @param now ms since epoch
 */
export async function answerUnverified(
  env: Env,
  typed: string,
  user: MailedUser | null,
  now: number,
): Promise<{ newMail: NewMail; adding: Query }> {
  const address = user?.address ?? typed
  const { path, adding } = await makeConfirmationKey({ userId: user?.id ?? 0, address }, now)
  const newMail: NewMail = user
    ? confirmationMail(env, { userId: user.id, address }, path)
    : {
        kind: 'unknown_account',
        address,
        userId: null,
        mail: unknownAccountMail(siteAddress(env, '/accounts/signup/')),
      }
  return { newMail, adding }
}
