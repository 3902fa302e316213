import { sql } from 'drizzle-orm'
import { Button } from '../../../client/components/button.tsx'
import { CsrfToken } from '../../../client/components/navbar.tsx'
import { read, type RowOfFields, template } from '../../db/query.ts'
import { contact, mergedContact as merged } from '../../db/schema/index.ts'
import { maskedAddress } from '../../notify/addresses.ts'
import { contactNamedBy, isUnsubscribeTokenOf } from '../../notify/unsubscribe-token.ts'
import { showPage } from '../../web/page.tsx'
import { formOf, hasForm, textField } from '../../web/parse.ts'
import { notThere } from '../../web/refusal.ts'
import type { SiteContext } from '../../web/site.ts'
import { optIn, optOut } from './opt-out.ts'

const contactFields = {
  id: contact.id,
  kind: contact.kind,
  address: contact.address,
  address_key: contact.addressKey,
  opted_out_at: contact.optedOutAt,
}
type Contact = RowOfFields<typeof contactFields>

/** Opening the link (GET) changes nothing. */
export async function askToUnsubscribe(c: SiteContext, token: string): Promise<Response> {
  const contact = await contactOf(c, token)
  if (contact.opted_out_at !== null) return answer(c, contact, alreadyStopped(contact))
  return answer(c, contact, `Stop class alerts to ${masked(contact)}?`)
}

/** Answers a mail program's one-click request (RFC 8058, with any body), the page's button, or its undo button. */
export async function unsubscribe(c: SiteContext, token: string): Promise<Response> {
  const contact = await contactOf(c, token)
  const wantsBack = hasForm(c) && textField(await formOf(c), 'resubscribe') === '1'
  if (wantsBack) {
    await optIn(c.env.DB, contact)
    return answer(c, { ...contact, opted_out_at: null }, `Class alerts are sent to ${masked(contact)} again.`)
  }
  const isNew = await optOut(c.env.DB, contact, Date.now())
  const stopped = { ...contact, opted_out_at: contact.opted_out_at ?? Date.now() }
  return answer(c, stopped, isNew ? `Done: no more class alerts to ${masked(contact)}.` : alreadyStopped(contact))
}

/** A forged link, a removed contact and a changed address are answered alike, to reveal nobody. @throws notThere */
async function contactOf(c: SiteContext, token: string): Promise<Contact> {
  const id = contactNamedBy(token)
  const named = id === null ? [] : await contactsNamed(c.env.DB, id)
  const secrets = [c.env.SECRET_KEY, c.env.SECRET_KEY_PREVIOUS].filter((secret) => secret !== undefined)
  for (const contact of named) if (await isUnsubscribeTokenOf(token, contact, secrets)) return contact
  throw notThere(
    'This link is incomplete, or its address is no longer stored here and gets no class alerts. Please use the complete link from the latest message.',
  )
}

/** The contact of this id, or the one it was merged into as another spelling of the same address. */
async function contactsNamed(db: D1Database, id: number): Promise<Contact[]> {
  return read(
    db,
    template(
      contactFields,
      (columns) => sql`SELECT ${columns} FROM ${contact} WHERE ${contact.id} = ${id}
        UNION ALL
        SELECT ${merged.id}, ${merged.kind}, ${merged.address}, ${contact.addressKey}, ${contact.optedOutAt} FROM ${merged}
        JOIN ${contact} ON ${contact.kind} = ${merged.kind} AND ${contact.addressKey} = ${merged.addressKey}
        WHERE ${merged.id} = ${id}`,
    ),
  )
}

function alreadyStopped(contact: Contact): string {
  return `Class alerts to ${masked(contact)} are already stopped.`
}

function masked({ kind, address }: Contact): string {
  return maskedAddress(kind, address)
}

function answer(c: SiteContext, contact: Contact, sentence: string): Promise<Response> {
  const props = { address: masked(contact), is_opted_out: contact.opted_out_at !== null }
  return showPage(c, {
    page: 'Unsubscribe',
    title: 'Class alerts',
    props,
    body: <UnsubscribePage sentence={sentence} props={props} csrfToken={c.get('csrfToken')} />,
  })
}

/** Asks before stopping, because mail scanners open every link; then says what was done and offers to undo it. */
function UnsubscribePage({
  sentence,
  props,
  csrfToken,
}: {
  sentence: string
  props: { is_opted_out: boolean }
  csrfToken: string
}) {
  return (
    <div className="narrow stack">
      <h1>Class alerts</h1>
      <p>{sentence}</p>
      <form method="post">
        <CsrfToken context={{ csrf_token: csrfToken }} />
        {props.is_opted_out ? <input type="hidden" name="resubscribe" value="1" /> : null}
        <Button kind={props.is_opted_out ? 'plain' : 'primary'} type="submit">
          {props.is_opted_out ? 'Send me messages again' : 'Stop these messages'}
        </Button>
      </form>
    </div>
  )
}
