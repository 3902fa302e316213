import { type SQL, sql } from 'drizzle-orm'
import { type Query, query, readFirst, writeTogether } from '../../db/query.ts'
import { recipient } from '../../db/schema/index.ts'
import { notFound } from '../../web/refusal.ts'
import type { RecipientLink } from './contract.ts'
import { refuseUnlessSuperuser, type TrackerActor } from '../tracker-actor.ts'
import { auditRows } from '../../web/audit.ts'
import { isSignedId, signedId } from './signed-id.ts'

const purpose = 'recipient page'

/** The values that the link to a recipient's own page is signed over. */
export interface LinkedRecipient {
  id: number
  /** When the recipient was created, ms since epoch: ids are reused. */
  created_at: number
  link_version: number
}

/** The address of a recipient's own page, `/r/{id}.{signature}`. Anyone who has it is treated as the recipient. */
export async function ownLink(env: Env, recipient: LinkedRecipient): Promise<string> {
  return `${env.APP_URL}/r/${await ownToken(env, recipient)}`
}

/** The part of the address after `/r/`. */
export function ownToken(env: Env, recipient: LinkedRecipient): Promise<string> {
  return signedId(env, purpose, { id: recipient.id, text: signedText(recipient) })
}

export function isOwnTokenOf(env: Env, token: string, recipient: LinkedRecipient): Promise<boolean> {
  return isSignedId(env, purpose, token, signedText(recipient))
}

/** Ends all links given out so far. @param recipientId an id, or a subquery that returns one */
export function renewOwnLink(recipientId: SQL): Query {
  return query
    .update(recipient)
    .set({ linkVersion: sql`${recipient.linkVersion} + 1` })
    .where(sql`${recipient.id} = ${recipientId}`)
}

/** For staff to pass on; `isNew` creates a new link and ends earlier ones. @throws forbidden, notFound */
export async function getRecipientLink(
  env: Env,
  by: TrackerActor,
  recipientId: number,
  { isNew, now }: { isNew: boolean; now: number },
): Promise<RecipientLink> {
  refuseUnlessSuperuser(by)
  const own = sql`${recipient.id} = ${recipientId}`
  if (isNew) {
    await writeTogether(env.DB, [
      renewOwnLink(sql`${recipientId}`),
      auditRows(
        by.audit,
        { act: 'renewed the link', area: 'class_tracker', table: 'recipient' },
        sql`SELECT ${recipient.id} AS row_key, ${recipient.name} AS title, NULL AS before, NULL AS after FROM ${recipient} WHERE ${own}`,
        now,
      ),
    ])
  }
  const found = await readFirst(
    env.DB,
    query
      .select({ id: recipient.id, created_at: recipient.createdAt, link_version: recipient.linkVersion })
      .from(recipient)
      .where(own),
  )
  if (found === null) throw notFound(`Recipient id ${recipientId} not found`)
  return { url: await ownLink(env, found) }
}

const signedText = ({ id, created_at, link_version }: LinkedRecipient): string =>
  `${id}\n${created_at}\n${link_version}`
