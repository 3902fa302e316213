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
export async function deadLink(db: Database, code: string): Promise<Refusal> {
  if (code === '')
    return dead('Open your message', 'Every message we send has a link that shows the class as it is now.')
  if (!isLinkCode(code))
    return dead(
      'This link is incomplete',
      `Our links end in ${LINK_CODE_LENGTH} letters and digits, and this one does not: part of it is missing.`,
    )
  const known = await readFirst(
    db,
    query.select({ id: delivery.id }).from(delivery).where(eq(delivery.linkCode, code)).limit(1),
  )
  if (known)
    return dead(
      'This link has expired',
      'Its message is older than 30 days. Each time a seat opens we send a new link, and that one works.',
    )
  return dead(
    'We don’t know this link',
    'A letter or digit in it is probably wrong. A link whose message is older than 30 days does not work either.',
  )
}

/** The code in what a person typed or pasted: the end of a link, or the code alone. */
export function codeIn(typed: string): string {
  const [, code = typed.trim()] = /\/s\/([^/\s?#]*)/.exec(typed) ?? []
  return code
}
