import type { Query } from '../../db/query.ts'
import { answerUnverified } from '../email/answer-unverified.ts'
import type { MailedUser } from '../find-user.ts'
import { signInCodeMail } from '../mails/mails.ts'
import { type NewMail, prepareMail, type WaitingMail } from '../mails/post-mail.ts'

/** Who the code is for; `userId` is null if nobody has verified the address. */
interface CodeOwner {
  userId: number | null
  address: string
}

/** The mail that answers a request for a code, and the statements to run with it: the same number for every address. */
interface CodeMail {
  owner: CodeOwner
  /** @param code goes into the mail if the address has an account */
  write: (code: string) => Promise<{ mail: WaitingMail; statements: Query[] }>
}

/** @param user who has the address, if anybody @param now ms since epoch */
export async function codeMailFor(env: Env, typed: string, user: MailedUser | null, now: number): Promise<CodeMail> {
  const isOwner = user?.is_verified === true
  const owner: CodeOwner = { userId: isOwner ? user.id : null, address: user?.address ?? typed }
  const other = await answerUnverified(env, typed, isOwner ? null : user, now)
  return {
    owner,
    async write(code) {
      const newMail: NewMail =
        owner.userId === null ? other.newMail : { ...owner, kind: 'sign_in_code', mail: signInCodeMail(code) }
      const mail = await prepareMail(env, newMail, now)
      return { mail, statements: [other.adding, mail.statement] }
    },
  }
}
