import { eq, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'
import { query, readFirst, refuseUnless, condition } from '../../db/query.ts'
import { discordUser, redemption, referral, user } from '../../db/schema/index.ts'
import type { AdminAct, AdminChange, AdminPlan, AdminRemoval } from '../../web/admin-change.ts'
import { belongsTo, columnsOf, discordId, shownOnly, skippedText } from '../../web/admin-fields.ts'
import type { AdminChoice, AdminTable } from '../../web/admin-table.ts'
import { counted } from '../../lib/text.ts'
import { conflict, type FormError } from '../../web/refusal.ts'
import { insertReferral, revokeReferrals, tooManyActive } from '../referrals/own-referrals.ts'
import { initialValues, readReferralForm, timeframeOptions, usesOptions } from '../referrals/referral-form.ts'
import { activeUses, isActiveReferral, MAX_ACTIVE_USES } from '../referrals/referral-rules.ts'

/** The same rules as `referralState`. */
const state = sql`CASE WHEN ${referral.revokedAt} IS NOT NULL THEN 'revoked'
  WHEN ${referral.expiresAt} <= unixepoch('subsec') * 1000 THEN 'expired'
  WHEN ${referral.maxUses} <> 0 AND ${referral.numUses} >= ${referral.maxUses} THEN 'used_up' ELSE 'valid' END`
const states: readonly AdminChoice[] = [
  { value: 'valid', label: 'Valid', tone: 'done' },
  { value: 'used_up', label: 'Used up', tone: 'neutral' },
  { value: 'expired', label: 'Expired', tone: 'neutral' },
  { value: 'revoked', label: 'Revoked', tone: 'danger' },
]
const usesText = sql`CAST(${referral.maxUses} AS TEXT)`
/** A code lets people in, so only its beginning is shown; searching for the full code finds its referral. */
const codeBeginning = sql`substr(${referral.code}, 1, 6) || '…'`

export const referralsTable: AdminTable<typeof referral> = {
  name: 'referrals',
  label: 'Referral',
  about: 'Links people share so others can sign up. Used referrals are kept as a record of who joined.',
  table: referral,
  title: sql`'Referral of ' || ${discordUser.displayName}`,
  joins: [referral.ownerId],
  columns: [
    { column: referral.code, sql: codeBeginning },
    { name: 'owner', column: discordUser.displayName, link: discordUser },
    { name: 'state', choices: states, sql: state },
    referral.numUses,
    { column: referral.maxUses, label: 'Max uses', sql: usesText },
    referral.createdAt,
    referral.expiresAt,
  ],
  search: {
    label: 'Code or owner',
    contains: [referral.code, discordUser.displayName],
    begins: [referral.code],
  },
  filters: [referral.ownerId, { name: 'state', choices: states, sql: sql`(${state})` }, referral.createdAt],
  fields: [
    belongsTo(referral.ownerId),
    {
      column: referral.maxUses,
      label: 'Maximum uses',
      choices: usesOptions,
      initial: initialValues.max_uses_choice,
      sql: usesText,
      help: `One person’s active referrals may total ${MAX_ACTIVE_USES} uses; superusers have no limit.`,
    },
    {
      column: referral.expiryTimeframe,
      label: 'Expires after',
      choices: timeframeOptions,
      initial: initialValues.expiry_timeframe,
      readOnly: 'after_adding',
    },
    ...shownOnly([
      { column: referral.code, sql: codeBeginning },
      { column: referral.numUses, label: 'Uses' },
      referral.createdAt,
      referral.expiresAt,
      referral.revokedAt,
    ]),
  ],
  related: [redemption.referralId],
  actions: [
    {
      name: 'revoke',
      run: revoke,
      isDangerous: true,
      confirm: 'No one will be able to use it. People who joined with it keep their accounts.',
    },
  ],
  save: saveReferral,
  remove: removeReferral,
}

async function revoke({ DB }: Env, { keys, actor, now }: AdminAct): Promise<string> {
  const { revoked } = await revokeReferrals(
    DB,
    { role: 'superuser', discordUserId: null, audit: actor },
    keys.map(Number),
    now,
  )
  if (revoked === 0) throw conflict('This referral has already ended.')
  return `${counted(revoked, 'referral')} revoked.${skippedText(keys.length - revoked, 'already ended')}`
}

/** Applies the same rules as the owner's own form, so that the admin cannot add what the owner could not create. */
async function saveReferral({ DB }: Env, { key, before, values, now }: AdminChange): Promise<AdminPlan> {
  const ownerId = Number(values['owner_id'])
  const owner = await readFirst(
    DB,
    query
      .select({
        role: discordUser.role,
        is_superuser: condition(sql`${user.isSuperuser} AND ${discordUser.unlinkedAt} IS NULL`),
      })
      .from(discordUser)
      .innerJoin(user, eq(user.id, discordUser.userId))
      .where(eq(discordUser.id, ownerId)),
  )
  if (!owner) return { errors: [{ field: 'owner_id', message: 'This person no longer exists.' }] }
  const { choice, errors } = readReferralForm(
    {
      max_uses_choice: String(values['max_uses']),
      // The expiry is fixed once a referral exists.
      expiry_timeframe: key === null ? String(values['expiry_timeframe']) : initialValues.expiry_timeframe,
    },
    owner.role === 'manager',
  )
  const formErrors = errorsOf(errors)
  if (formErrors.length > 0) return { errors: formErrors }
  if (key === null) {
    return {
      statements: [
        insertReferral({ discordUserId: ownerId, isSuperuser: owner.is_superuser }, choice, now),
        refuseUnless(sql`changes() = 1`, tooManyActive),
      ],
      message: 'The referral was added.',
    }
  }
  const hasKey = eq(referral.id, Number(key))
  const { maxUses } = choice
  const isMore = maxUses > Number(before?.['max_uses'])
  return {
    statements: [
      refuseUnless(
        sql`${maxUses} = 0 OR (SELECT ${referral.numUses} FROM ${referral} WHERE ${hasKey}) <= ${maxUses}`,
        'It has already been used more times than that.',
      ),
      query.update(referral).set({ maxUses }).where(hasKey),
      refuseUnless(
        sql`${Number(owner.is_superuser || !isMore)} OR ${activeUses(ownerId, now)} <= ${MAX_ACTIVE_USES}`,
        tooManyActive,
      ),
    ],
  }
}

function errorsOf({ max_uses_choice, expiry_timeframe }: ReturnType<typeof readReferralForm>['errors']): FormError[] {
  return [
    ...(max_uses_choice === undefined ? [] : [{ field: 'max_uses', message: max_uses_choice }]),
    ...(expiry_timeframe === undefined ? [] : [{ field: 'expiry_timeframe', message: expiry_timeframe }]),
  ]
}

/** A used referral is kept as a record of who joined with it. */
async function removeReferral(_env: Env, { key }: AdminRemoval): Promise<AdminPlan> {
  return {
    statements: [
      refuseUnless(
        sql`NOT EXISTS (SELECT 1 FROM ${redemption} WHERE ${redemption.referralId} = ${key})`,
        'This referral was used, so it is kept as a record of who joined. Revoke it instead.',
      ),
      query.delete(referral).where(eq(referral.id, Number(key))),
    ],
  }
}

const owner = alias(discordUser, 'owner')

/** Who joined with whose referral: a history, corrected only by adding and deleting. */
export const redemptionsTable: AdminTable<typeof redemption> = {
  name: 'redemptions',
  label: 'Redemption',
  about:
    'Who used each referral. A person who did not finish signing up has no Discord account yet. Deleting a redemption restores the use.',
  table: redemption,
  title: sql`coalesce(${discordUser.displayName}, ${redemption.discordId}) || ' by ' || ${owner.displayName}`,
  joins: [
    redemption.referralId,
    sql`LEFT JOIN ${discordUser} ${owner} ON ${owner.id} = ${referral.ownerId}`,
    sql`LEFT JOIN ${discordUser} ON ${discordUser.discordId} = ${redemption.discordId}`,
  ],
  columns: [
    redemption.createdAt,
    { name: 'person', column: discordUser.displayName, label: 'Who', link: discordUser },
    redemption.discordId,
    { name: 'owner', column: owner.displayName, label: 'Referred by', link: { to: discordUser, key: owner.id } },
    { name: 'referral', column: referral.id, link: referral },
  ],
  search: {
    label: 'Discord ID or name',
    contains: [
      redemption.discordId,
      sql`(SELECT ${discordUser.displayName} FROM ${discordUser} WHERE ${discordUser.discordId} = ${redemption.discordId})`,
    ],
    begins: [redemption.discordId],
  },
  filters: [redemption.referralId, redemption.createdAt],
  fields: [
    belongsTo(redemption.referralId),
    discordId(redemption.discordId, 'The person who used it.'),
    ...shownOnly([
      { name: 'person_id', label: 'Chat user', to: discordUser, sql: sql`${discordUser.id}` },
      { column: redemption.createdAt, label: 'When' },
    ]),
  ],
  mayChange: false,
  save: addRedemption,
  remove: removeRedemption,
}

/** The rules of sign-up: a valid referral, once per person. A trigger increases the referral's count. */
async function addRedemption(_env: Env, { values, now }: AdminChange): Promise<AdminPlan> {
  const { referral_id = null, discord_id = '' } = values
  return {
    statements: [
      refuseUnless(
        sql`NOT EXISTS (SELECT 1 FROM ${redemption}
          WHERE ${redemption.referralId} = ${referral_id} AND ${redemption.discordId} = ${discord_id})`,
        'This person has already used this referral.',
      ),
      refuseUnless(
        sql`EXISTS (SELECT 1 FROM ${referral} WHERE ${referral.id} = ${referral_id} AND ${isActiveReferral(now)})`,
        'This referral is no longer active: it was used up, revoked or has expired.',
      ),
      query.insert(redemption).values({ ...columnsOf(redemption, values, 'referralId', 'discordId'), createdAt: now }),
    ],
  }
}

/**
 * Returns the use to the referral; a person who joined with it keeps their account. A referral that was used up becomes
 * active again, within its owner's limit.
 */
async function removeRedemption(_env: Env, { key, now }: AdminRemoval): Promise<AdminPlan> {
  const hasKey = eq(redemption.id, Number(key))
  const own = alias(referral, 'own')
  return {
    statements: [
      query
        .update(referral)
        .set({ numUses: sql`max(${referral.numUses} - 1, 0)` })
        .where(sql`${referral.id} = (SELECT ${redemption.referralId} FROM ${redemption} WHERE ${hasKey})`),
      refuseUnless(
        sql`(SELECT ${own.numUses} <> ${own.maxUses} - 1 OR ${user.isSuperuser}
            OR ${activeUses(own.ownerId, now)} <= ${MAX_ACTIVE_USES}
          FROM ${redemption} JOIN ${referral} ${own} ON ${own.id} = ${redemption.referralId}
          JOIN ${discordUser} ON ${discordUser.id} = ${own.ownerId} JOIN ${user} ON ${user.id} = ${discordUser.userId}
          WHERE ${hasKey})`,
        `This would make the referral active again and put its owner over the limit of ${MAX_ACTIVE_USES} active uses.`,
      ),
      query.delete(redemption).where(hasKey),
    ],
  }
}
