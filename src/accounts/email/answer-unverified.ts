import type { Query } from '../../db/query.ts'
import type { MailedUser } from '../find-user.ts'
import { unknownAccountMail } from '../mails/mails.ts'
import type { NewMail } from '../mails/post-mail.ts'
import { siteAddress } from '../mails/site-address.ts'
import { confirmationMail, makeConfirmationKey } from './send-confirmation.ts'

/**
 * What is mailed to an address nobody has verified when somebody asks for a way into its account: a link that confirms it where an
 * account waits for that, else word that there is none. The statement writes nothing where there is no account, so that each case
 * takes the same time.
 * @param user the account whose only address it is, unverified; null for none @param now ms since epoch
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
