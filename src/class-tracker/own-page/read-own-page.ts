import { eq, sql } from 'drizzle-orm'
import { type Database, prepared, query, readFirst, readTogether, type RowOf, parameter } from '../../db/query.ts'
import { canBeMessaged, contact, recipient } from '../../db/schema/index.ts'
import { isoOrNull } from '../../lib/time.ts'
import { isPushSetUp } from '../../notify/channels.ts'
import { maskedAddress } from '../../notify/addresses.ts'
import { notFound } from '../../web/refusal.ts'
import { isFairTurns } from '../alerts/fair-turns.ts'
import { isUndoable } from '../deliveries/opt-out.ts'
import type { OwnContact, OwnPageProps } from './contract.ts'
import { isOwnTokenOf } from '../recipients/own-link.ts'
import { clockText } from '../recipients/quiet-time.ts'
import { type ContactRow, findContacts, findWatchedSections } from '../recipients/recipient-rows.ts'
import { idIn } from '../recipients/signed-id.ts'
import { watchedSectionOf } from '../watches/watched-section.ts'

/** Sections shown on the page at most. */
const MAX_SECTIONS = 200

const findOwner = prepared(() =>
  query
    .select({
      id: recipient.id,
      name: recipient.name,
      created_at: recipient.createdAt,
      link_version: recipient.linkVersion,
      time_zone: recipient.timeZone,
      quiet_from: recipient.quietFrom,
      quiet_until: recipient.quietUntil,
      is_push_silent: recipient.isPushSilent,
      paused_until: recipient.pausedUntil,
      is_reminded: recipient.isReminded,
      is_sms_at_once: recipient.isSmsAtOnce,
      is_fair: isFairTurns.mapWith(Boolean),
      can_be_reached: sql`EXISTS (SELECT 1 FROM ${contact}
        WHERE ${contact.recipientId} = ${recipient.id} AND ${canBeMessaged})`.mapWith(Boolean),
    })
    .from(recipient)
    .where(eq(recipient.id, parameter('id'))),
)
const findOwnContacts = prepared(() => findContacts(parameter('id')))
const findUndoable = prepared(() =>
  query
    .select({ id: contact.id })
    .from(contact)
    .where(sql`${contact.recipientId} = ${parameter('id')} AND ${isUndoable}`),
)
const findOwnSections = prepared(() => findWatchedSections(parameter('id'), MAX_SECTIONS))

/** The recipient behind a link to their own page, if the link is valid. */
export type Owner = RowOf<ReturnType<typeof findOwner>>

const wrongLink = () =>
  notFound(
    'This link is incomplete, or it was replaced by a newer one. Ask the person who set up your alerts for the new link.',
  )

/** The recipient of a token. @throws notFound, the same for every wrong link, which never reveals who is stored */
export async function ownerOf(env: Env, token: string): Promise<Owner> {
  const id = idIn(token)
  return checkOwner(env, token, id === null ? null : await readFirst(env.DB, findOwner({ id })))
}

async function checkOwner(env: Env, token: string, owner: Owner | null | undefined): Promise<Owner> {
  if (!owner || !(await isOwnTokenOf(env, token, owner))) throw wrongLink()
  return owner
}

/** The owner as now stored, because a change may have replaced the link. */
export async function readOwner(db: Database, id: number): Promise<Owner> {
  const owner = await readFirst(db, findOwner({ id }))
  if (owner === null) throw wrongLink()
  return owner
}

/** Everything the recipient's own page shows, in one round trip. @throws notFound */
export async function readOwnPage(env: Env, token: string, now: number): Promise<OwnPageProps> {
  const id = idIn(token)
  if (id === null) throw wrongLink()
  const [[found], contacts, undoable, sections] = await readTogether(
    env.DB,
    findOwner({ id }),
    findOwnContacts({ id }),
    findUndoable({ id }),
    findOwnSections({ id }),
  )
  const owner = await checkOwner(env, token, found)
  const canStart = new Set(undoable.map((row) => row.id))
  return {
    name: owner.name,
    sections: sections.map((row) => {
      const { history: _history, ...section } = watchedSectionOf(row, [])
      return section
    }),
    more_sections_count: Math.max(0, (sections[0]?.watched_count ?? 0) - sections.length),
    contacts: contacts.map((row) => ownContact(row, canStart.has(row.id))),
    can_be_reached: owner.can_be_reached,
    quiet_hours:
      owner.quiet_from === null || owner.quiet_until === null
        ? null
        : { from: clockText(owner.quiet_from), until: clockText(owner.quiet_until), time_zone: owner.time_zone },
    is_push_silent: owner.is_push_silent,
    is_reminded: owner.is_reminded,
    is_sms_at_once: owner.is_sms_at_once,
    is_fair: owner.is_fair,
    paused_until: owner.paused_until !== null && owner.paused_until > now ? isoOrNull(owner.paused_until) : null,
    push_key: isPushSetUp(env) ? env.VAPID_PUBLIC_KEY : null,
  }
}

function ownContact(row: ContactRow, canStart: boolean): OwnContact {
  const { id, kind, address, device, is_enabled } = row
  return {
    id,
    kind,
    address: device || maskedAddress(kind, address),
    is_enabled,
    opted_out: row.opted_out_at !== null,
    can_start: canStart,
    undeliverable: row.undeliverable_at !== null,
  }
}
