import { eq, sql } from 'drizzle-orm'
import { type Query, query } from '../../db/query.ts'
import { emailAddress, user } from '../../db/schema/index.ts'
import type { AdminChange, AdminInlineChange } from '../../web/admin-change.ts'
import { notAnAddress, typedAddress } from '../../notify/email/mail-address.ts'
import { copyPrimary, deleteMailedLinks } from '../email/address-changes.ts'
import type { FormError } from '../../web/refusal.ts'

export const addressesInline = 'addresses'
export const newAddressField = `${addressesInline}-new-address`

export const ownAlready = 'This email address is already associated with this account.'
export const ownedByAnother = 'Someone else has already verified this email address.'

const isTicked = ({ values }: AdminInlineChange, name: string): boolean => values[name] === 1
const was = ({ before }: AdminInlineChange, name: string): boolean => before?.[name] === 1
const addressOf = ({ values }: AdminInlineChange): string => String(values['address'] ?? '')

/** The addresses of a form by the rules of the page *Email Addresses*: one is primary, and a verified one stays. */
export function planAddresses(userId: number, change: AdminChange) {
  const rows = change.inlines[addressesInline] ?? []
  const kept = rows.filter(({ isRemoved }) => !isRemoved)
  const primary = primaryOf(kept)
  const errors = [...addressErrors(rows, kept), ...primaryErrors(kept, primary)]
  return {
    errors,
    primary: primary ? addressOf(primary).trim() : '',
    statements: errors.length > 0 || !primary ? [] : statements(userId, rows, primary, change.now),
  }
}

/** A newly selected address replaces the former one. */
function primaryOf(kept: readonly AdminInlineChange[]): AdminInlineChange | undefined {
  const [newly, ...others] = kept.filter((row) => isTicked(row, 'is_primary') && !was(row, 'is_primary'))
  if (newly) return others.length === 0 ? newly : undefined
  return kept.length === 1 ? kept[0] : kept.find((row) => isTicked(row, 'is_primary'))
}

function addressErrors(rows: readonly AdminInlineChange[], kept: readonly AdminInlineChange[]): FormError[] {
  if (rows.length === 0) return [{ field: newAddressField, message: 'This field is required.' }]
  if (kept.length === 0) return [{ message: 'An account needs at least one email address.' }]
  const errors: FormError[] = []
  for (const row of kept) {
    if (row.key === null && typedAddress(addressOf(row)) === null)
      errors.push({ field: `${row.prefix}-address`, message: notAnAddress })
    if (was(row, 'is_verified') && !isTicked(row, 'is_verified')) {
      errors.push({
        field: `${row.prefix}-is_verified`,
        message: 'A verified address cannot be unverified. Delete it instead.',
      })
    }
  }
  return errors
}

function primaryErrors(kept: readonly AdminInlineChange[], primary: AdminInlineChange | undefined): FormError[] {
  const [first] = kept
  if (!first) return []
  if (!primary) return [{ field: `${first.prefix}-is_primary`, message: 'Exactly one address must be primary.' }]
  const isAnyVerified = kept.some((row) => isTicked(row, 'is_verified'))
  if (!isAnyVerified || isTicked(primary, 'is_verified')) return []
  return [{ field: `${primary.prefix}-is_primary`, message: 'The primary email address must be verified.' }]
}

function statements(
  userId: number,
  rows: readonly AdminInlineChange[],
  primary: AdminInlineChange,
  now: number,
): Query[] {
  const removed = rows.flatMap(({ key, isRemoved }) => (isRemoved && key !== null ? [key] : []))
  const verified = rows.flatMap((row) =>
    row.key !== null && !row.isRemoved && isTicked(row, 'is_verified') && !was(row, 'is_verified') ? [row.key] : [],
  )
  const added = rows.find(({ key }) => key === null)
  const isMoved = removed.length > 0 || !was(primary, 'is_primary')
  return [
    ...removed.map((key) => query.delete(emailAddress).where(eq(emailAddress.id, key))),
    query
      .update(emailAddress)
      .set({ isPrimary: false })
      .where(
        sql`${emailAddress.userId} = ${userId} AND ${emailAddress.id} IS NOT ${primary.key} AND ${emailAddress.isPrimary}`,
      ),
    ...verified.map((key) => query.update(emailAddress).set({ verifiedAt: now }).where(eq(emailAddress.id, key))),
    ...(added
      ? [
          query.insert(emailAddress).values({
            userId,
            address: addressOf(added).trim(),
            verifiedAt: isTicked(added, 'is_verified') ? now : null,
            isPrimary: added === primary,
            createdAt: now,
          }),
        ]
      : []),
    ...(primary.key === null
      ? []
      : [query.update(emailAddress).set({ isPrimary: true }).where(eq(emailAddress.id, primary.key))]),
    copyPrimary(eq(user.id, userId)),
    ...(isMoved ? deleteMailedLinks(userId) : []),
  ]
}
