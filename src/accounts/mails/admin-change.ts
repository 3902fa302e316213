import type { Actor } from '../../web/audit.ts'
import { minuteText, placeText } from './request-facts.ts'
import { withoutLinks } from './links.ts'
import type { AccountMail } from './write-mail.ts'

/** A sensitive change in the admin. Names and values may contain text that strangers typed. */
interface AdminChangeFacts {
  /** "Changed user robin", "Make superuser: robin, kim". */
  what: string
  /** One line per change: "Superuser: no → yes". */
  changes: readonly string[]
  actor: Actor
  /** ms since epoch */
  at: number
}

/** Has no link: people who are unsure open the site as usual. */
export function accountChangedMail(username: string, facts: AdminChangeFacts): AccountMail {
  return {
    subject: 'Your Account Was Changed by an Administrator',
    before: ['A site administrator made a change to your account.'],
    facts: [{ name: 'Account', value: withoutLinks(username) }, ...lines(facts)],
    after: ['If you do not know why, ask an administrator. This email has no links: open the site as you usually do.'],
  }
}

/** Sent to every superuser. */
export function adminChangeMail(facts: AdminChangeFacts): AccountMail {
  return {
    subject: 'A Sensitive Change in the Admin',
    before: ['Someone made a change in the admin. Every superuser is notified of such changes.'],
    facts: [...lines(facts), { name: 'From', value: placeText(facts.actor) }],
    after: [
      'If it should not have been made: disable the account that made it, undo it, and check the audit log. This email has no links: open the admin as you usually do.',
    ],
  }
}

function lines({ what, changes, actor, at }: AdminChangeFacts): { name: string; value: string }[] {
  return [
    { name: 'What', value: withoutLinks(what) },
    ...changes.map((change) => ({ name: 'Change', value: withoutLinks(change) })),
    { name: 'By', value: withoutLinks(actor.who) },
    { name: 'When', value: minuteText(at) },
  ]
}
