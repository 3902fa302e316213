import { sql } from 'drizzle-orm'
import { Button } from '../../../client/components/button.tsx'
import { PostForm } from '../../../client/components/post-form.tsx'
import { read, type RowOfFields, template } from '../../db/query.ts'
import { contact, mergedContact as merged } from '../../db/schema/index.ts'
import { maskedAddress } from '../../notify/addresses.ts'
import { contactNamedBy, isUnsubscribeTokenOf } from '../../notify/unsubscribe-token.ts'
import { showPage } from '../../web/page/page.tsx'
import { formOf, hasForm, textField } from '../../web/parse.ts'
import { notFound } from '../../web/refusal.ts'
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
  const address = maskedAddress(contact.kind, contact.address)
  const isStopped = contact.opted_out_at !== null
  return answer(c, address, isStopped, isStopped ? alreadyStopped(address) : `Stop class alerts to ${address}?`)
}

/** Answers an email app's one-click request (RFC 8058, with any body), the page's button, or its undo button. */
export async function unsubscribe(c: SiteContext, token: string): Promise<Response> {
  const contact = await contactOf(c, token)
  const address = maskedAddress(contact.kind, contact.address)
  const wantsBack = hasForm(c) && textField(await formOf(c), 'resubscribe') === '1'
  if (wantsBack) {
    await optIn(c.env.DB, contact)
    return answer(c, address, false, `Class alerts to ${address} are no longer stopped.`)
  }
  const isNew = await optOut(c.env.DB, contact, Date.now())
  return answer(
    c,
    address,
    true,
    isNew ? `Done. We won’t send class alerts to ${address} anymore.` : alreadyStopped(address),
  )
}

const alreadyStopped = (address: string): string => `Class alerts to ${address} are already stopped.`

/** A forged link, a removed contact and a changed address are answered alike, to reveal no one. @throws notFound */
async function contactOf(c: SiteContext, token: string): Promise<Contact> {
  const id = contactNamedBy(token)
  const named = id === null ? [] : await contactsNamed(c.env.DB, id)
  const secrets = [c.env.SECRET_KEY, c.env.SECRET_KEY_PREVIOUS].filter((secret) => secret !== undefined)
  for (const contact of named) if (await isUnsubscribeTokenOf(token, contact, secrets)) return contact
  throw notFound(
    'This link is incomplete, or its address was removed here after the message. If class alerts still come, please use the link in the latest one.',
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

/** Asks before stopping, because email scanners open every link; then says what was done and offers to undo it. */
function answer(c: SiteContext, address: string, isStopped: boolean, sentence: string): Promise<Response> {
  return showPage(c, {
    page: 'Unsubscribe',
    title: 'Class alerts',
    props: { address, is_opted_out: isStopped },
    body: (
      <div className="narrow stack">
        <h1>Class alerts</h1>
        <p>{sentence}</p>
        <PostForm context={{ csrf_token: c.get('csrfToken') }}>
          {isStopped && <input type="hidden" name="resubscribe" value="1" />}
          <Button kind={isStopped ? 'plain' : 'primary'} type="submit">
            {isStopped ? 'Send me messages again' : 'Stop these messages'}
          </Button>
        </PostForm>
      </div>
    ),
  })
}
