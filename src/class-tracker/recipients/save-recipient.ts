import { sql } from 'drizzle-orm'
import { read, template, writeThenRead } from '../../db/query.ts'
import { contact, recipient } from '../../db/schema/index.ts'
import { conflict, notFound } from '../../web/refusal.ts'
import type { AddRecipient, GetRecipientForm } from './contract.ts'
import { refuseUnlessSuperuser, type TrackerActor } from '../tracker-actor.ts'
import { historyStart } from '../watches/watched-section.ts'
import { auditRecipient } from './audit-recipient.ts'
import { type CheckedForms, checkForms } from './check-forms.ts'
import { versionsOf } from './form-versions.ts'
import { refuseOvertaken } from './overtaken.ts'
import { readPostedForms } from './posted-form.ts'
import { newRecipient, recipientForms } from './recipient-form.ts'
import {
  findContacts,
  findRecipients,
  findWatchedHistories,
  findWatchedSections,
  readRecipient,
  recipientsOf,
  SECTIONS_SHOWN,
  shownAddress,
} from './recipient-rows.ts'
import { writeRecipient, savedId } from './write-recipient.ts'

/** The forms of a recipient; with id 0 those of a new one. @throws notFound */
export async function getRecipientForm(
  db: D1Database,
  recipientId: number,
  csrfToken: string,
): Promise<GetRecipientForm> {
  if (recipientId === 0)
    return recipientForms({ recipient: newRecipient, recipient_errors: {}, contacts: [] }, csrfToken)
  const found = await readRecipient(db, recipientId)
  if (!found) throw notFound(`Recipient id ${recipientId} not found`)
  const contacts = found.contacts.map((row) => ({
    id: row.id,
    values: { ...row, number: shownAddress(row) },
    errors: {},
  }))
  const filled = { recipient: found.recipient, recipient_errors: {}, contacts }
  return recipientForms(filled, csrfToken, await versionsOf(found))
}

/**
 * Adds a recipient (id 0) or changes one, in one atomic batch. If `is_saved` is false, errors are at their fields, also
 * about what someone else changed since the forms were opened.
 * @throws forbidden, notFound for an unknown recipient, conflict when it was changed at the same time
 */
export async function saveRecipient(
  env: Pick<Env, 'DB' | 'DISCORD_API_URL'>,
  by: TrackerActor,
  { recipientId, posted, csrfToken }: { recipientId: number; posted: FormData; csrfToken: string },
  now: number,
): Promise<{ is_saved: boolean; answer: AddRecipient }> {
  refuseUnlessSuperuser(by)
  const known = recipientId === 0 ? null : await readRecipient(env.DB, recipientId)
  if (recipientId !== 0 && !known) throw notFound(`Recipient id ${recipientId} not found`)
  const versions = known ? await versionsOf(known) : undefined
  const merged = checkForms(readPostedForms(posted), known, env.DISCORD_API_URL)
  // Checked first, because every answer has the new versions: a reader who was not warned would overwrite the row.
  const checked = known && versions ? refuseOvertaken(merged, { posted, known, versions }) : merged
  const refilled = (forms: CheckedForms) => ({
    is_saved: false,
    answer: { recipient: null, ...recipientForms(forms, csrfToken, versions) },
  })
  if (!checked.is_valid) return refilled(checked)
  const id = savedId(recipientId)
  try {
    const lists = await writeThenRead(
      env.DB,
      [...writeRecipient(recipientId, checked, now), ...auditRecipient(recipientId, { known, checked }, now, by.audit)],
      findRecipients(id),
      findContacts(id),
      findWatchedSections(id, SECTIONS_SHOWN),
      findWatchedHistories(id, { most: SECTIONS_SHOWN, drawn: SECTIONS_SHOWN }, historyStart(now)),
    )
    const [saved] = recipientsOf(lists, now)
    if (!saved) throw notFound(`Recipient id ${recipientId} not found`)
    return {
      is_saved: true,
      answer: { recipient: saved, recipient_form: null, contact_info_forms: [], new_contact_info_form: null },
    }
  } catch (error) {
    if (!isTakenAddress(String(error))) throw error
    return refilled(await nameOwners(env.DB, recipientId, checked))
  }
}

/** Whether a database error says that an address belongs to another recipient. */
export const isTakenAddress = (error: string): boolean =>
  error.includes('UNIQUE constraint failed: contact.kind, contact.address_key')

/** An error at each address that belongs to another recipient, whom it names. @throws conflict if none does */
export async function nameOwners(db: D1Database, recipientId: number, checked: CheckedForms): Promise<CheckedForms> {
  const addresses = checked.contacts.map(({ values, key }) => [values.kind, key])
  const owners = await read(
    db,
    template(
      { kind: contact.kind, address_key: contact.addressKey, name: recipient.name },
      (columns) => sql`SELECT ${columns} FROM json_each(${JSON.stringify(addresses)}) a
        JOIN ${contact} ON ${contact.kind} = a.value ->> 0 AND ${contact.addressKey} = a.value ->> 1
        JOIN ${recipient} ON ${recipient.id} = ${contact.recipientId}
        WHERE ${contact.recipientId} <> ${recipientId}`,
    ),
  )
  if (owners.length === 0)
    throw conflict('This recipient was changed by someone else at the same moment. Please try again.')
  const contacts = checked.contacts.map((one) => {
    const owner = owners.find(({ kind, address_key }) => kind === one.values.kind && address_key === one.key)
    return owner ? { ...one, errors: { number: `This contact already belongs to ${owner.name}.` } } : one
  })
  return { ...checked, is_valid: false, contacts }
}
