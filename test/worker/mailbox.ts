import { env } from 'cloudflare:workers'
import { limitOf } from '../../src/web/limits/limits.ts'
import { until, world, type Outbox } from './world.ts'

export type Mail = Outbox['email'][number]

/** The newest email to the address with these words in its subject, once it has arrived. */
export async function mailTo(address: string, subject = ''): Promise<Mail> {
  const mails = await until(
    () => mailsTo(address, subject),
    (found) => found.length > 0,
    `a mail "${subject}" to ${address}`,
  )
  const newest = mails.at(-1)
  if (!newest) throw new Error('no mail')
  return newest
}

/** All emails that were sent to the address so far. */
export async function mailsTo(address: string, subject = ''): Promise<Mail[]> {
  const { email } = await world.outbox()
  return email.filter((mail) => mail.to === address && mail.subject.includes(subject))
}

/** Kinds of the emails that were stored for an address, oldest first, whether or not they were sent yet. */
export async function writtenTo(address: string): Promise<string[]> {
  const { results } = await env.DB.prepare('SELECT kind FROM mail WHERE address = ? ORDER BY id')
    .bind(address)
    .all<{ kind: string }>()
  return results.map(({ kind }) => kind)
}

/** Does something while no email can be stored. */
export async function whileMailsFail<Result>(act: () => Promise<Result>): Promise<Result> {
  await env.DB.prepare("CREATE TRIGGER fails BEFORE INSERT ON mail BEGIN SELECT RAISE(ABORT, 'full'); END").run()
  try {
    return await act()
  } finally {
    await env.DB.prepare('DROP TRIGGER fails').run()
  }
}

/** The path of the first link in an email that begins so. */
export function linkIn(mail: Mail, path: string): string {
  const at = mail.text.indexOf(`${env.APP_URL}${path}`)
  const link = /^\S+/.exec(mail.text.slice(at))?.[0]
  if (at < 0 || !link) throw new Error(`no link to ${path} in: ${mail.text}`)
  return link.slice(env.APP_URL.length)
}

/** Three minutes have passed since an account was sent a link that confirms its address. */
export async function waitOutLink(address: string): Promise<void> {
  const { results } = await env.DB.prepare('SELECT user_id FROM email_address WHERE address = ?')
    .bind(address)
    .all<{ user_id: number }>()
  for (const { user_id } of results) await waitOut('confirm-address', `${user_id} ${address.toLowerCase()}`)
}

/** Resets every limit of a key, as if its time had passed. */
export async function waitOut(action: string, key: string): Promise<void> {
  await (await limitOf(env, action, key)).clear()
}
