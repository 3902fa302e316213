import { eq } from 'drizzle-orm'
import { type Database, query, readFirst } from '../../db/query.ts'
import { delivery } from '../../db/schema/index.ts'
import { type DeadEndForm, Refusal } from '../../web/refusal.ts'
import { isLinkCode, LINK_CODE_LENGTH } from '../deliveries/link-code.ts'

const form: DeadEndForm = {
  action: '/s/',
  name: 'code',
  label: 'Link in your newest message',
  help: `Paste it, or type the ${LINK_CODE_LENGTH} letters and digits after /s/.`,
  button: 'Open',
}

const dead = (title: string, ...messages: string[]): Refusal =>
  new Refusal(404, messages, { headers: { 'x-robots-tag': 'noindex' }, deadEnd: { title, form } })

/** Why a link shows nothing: it is incomplete, too old, or unknown. */
export async function invalidLink(db: Database, code: string): Promise<Refusal> {
  if (code === '')
    return dead('Open your message', 'Every message we send has a link that shows the class as it is now.')
  if (!isLinkCode(code))
    return dead(
      'This link is incomplete',
      `Part of this link is missing. Our links end in ${LINK_CODE_LENGTH} letters and digits.`,
    )
  const known = await readFirst(
    db,
    query.select({ id: delivery.id }).from(delivery).where(eq(delivery.linkCode, code)).limit(1),
  )
  if (known)
    return dead('This link has expired', 'Links work for 30 days. Open the newest message, or wait for the next one.')
  return dead('We don’t know this link', 'Check the link for typos. Links also stop working after 30 days.')
}

/** The code in what a person typed or pasted: the end of a link, or the code alone. */
export function linkCodeIn(typed: string): string {
  const [, code = typed.trim()] = /\/s\/([^/\s?#]*)/.exec(typed) ?? []
  return code
}
