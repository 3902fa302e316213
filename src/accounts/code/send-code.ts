import type { Query } from '../../db/query.ts'
import { answerUnverified } from '../email/answer-unverified.ts'
import type { MailedUser } from '../find-user.ts'
import { signInCodeMail } from '../mails/mails.ts'
import { type NewMail, prepareMail, type WaitingMail } from '../mails/post-mail.ts'

/** An address as it was typed, and the user who has it, if anybody. */
export interface AskedAddress {
  typed: string
  user: MailedUser | null
}

/** Who a code is for; `userId` is null if nobody has verified the address. */
export function codeOwner({ typed, user }: AskedAddress): { userId: number | null; address: string } {
  return { userId: user?.is_verified ? user.id : null, address: user?.address ?? typed }
}

/**
 * The mail that answers a request for a code, and the statements to run with it: the same number for every address.
 * @param code goes into the mail if somebody has verified the address
 * @param now ms since epoch
 */
export async function prepareCodeMail(
  env: Env,
  asked: AskedAddress,
  code: string,
  now: number,
): Promise<{ mail: WaitingMail; statements: Query[] }> {
  const owner = codeOwner(asked)
  const other = await answerUnverified(env, asked.typed, owner.userId === null ? asked.user : null, now)
  const newMail: NewMail =
    owner.userId === null ? other.newMail : { ...owner, kind: 'sign_in_code', mail: signInCodeMail(code) }
  const mail = await prepareMail(env, newMail, now)
  return { mail, statements: [other.adding, mail.statement] }
}
