import { belongsTo, shownOnly } from '../../web/admin-text-fields.ts'
import type { AdminAct } from '../../web/admin-change.ts'
import type { AdminChoice } from '../../web/admin-table.ts'
import type { TextTable } from '../../web/admin-text-table.ts'
import { counted } from '../../web/counted.ts'
import { conflict } from '../../web/refusal.ts'
import { cannotRevoke, revokeReferrals } from '../referrals/revoke-referral.ts'
import { timeframeLabels } from '../referrals/referral-form.ts'
import { timeframes, usesChoices } from '../referrals/referral-rules.ts'
import { area } from './parts.ts'
import { removeReferral, saveReferral } from './save-referral.ts'

/** As `referralState` says it. */
const state = `CASE WHEN t.revoked_at IS NOT NULL THEN 'revoked' WHEN t.expires_at <= unixepoch('subsec') * 1000 THEN 'expired'
  WHEN t.max_uses <> 0 AND t.num_uses >= t.max_uses THEN 'used_up' ELSE 'valid' END`
const states: readonly AdminChoice[] = [
  { value: 'valid', label: 'Valid', tone: 'open' },
  { value: 'used_up', label: 'Used up', tone: 'neutral' },
  { value: 'expired', label: 'Expired', tone: 'neutral' },
  { value: 'revoked', label: 'Revoked', tone: 'danger' },
]
const uses = usesChoices.map((choice) => ({
  value: String(choice),
  label: choice === 0 ? 'Unlimited' : `${choice} uses`,
}))
const periods = timeframes.map((choice) => ({ value: choice, label: timeframeLabels[choice] }))
/** A code lets somebody in, so only its beginning is shown; the whole of it finds its referral. */
const codeBeginning = "substr(t.code, 1, 6) || '…'"

/** Codes that let new people in. */
export const referralsTable: TextTable = {
  name: 'referrals',
  label: 'Referral',
  labels: 'Referrals',
  area,
  about: 'Links by which people let others in. One that was used stays, so that it can be seen who came by it.',
  table: 'referral',
  title: "'Referral of ' || d.display_name",
  join: 'LEFT JOIN discord_user d ON d.id = t.owner_id',
  columns: [
    { name: 'code', label: 'Code', sql: codeBeginning },
    { name: 'owner', label: 'Owner', sql: 'd.display_name', link: { table: 'chat-users', key: 'd.id' } },
    { name: 'state', label: 'State', kind: 'choice', choices: states, sql: state },
    { name: 'num_uses', label: 'Uses', kind: 'number' },
    { name: 'max_uses', label: 'Of', kind: 'choice', choices: uses, sql: 'CAST(t.max_uses AS TEXT)' },
    { name: 'created_at', label: 'Made', kind: 'moment' },
    { name: 'expires_at', label: 'Expires', kind: 'moment' },
  ],
  search: {
    label: 'Code or owner',
    contains: ['t.code', '(SELECT d.display_name FROM discord_user d WHERE d.id = t.owner_id)'],
    begins: ['t.code'],
  },
  filters: [
    { name: 'owner_id', label: 'Owner', kind: 'reference', to: 'chat-users', isIndexed: true },
    { name: 'state', label: 'State', kind: 'choice', choices: states, sql: `(${state})` },
    { name: 'created_at', label: 'Made', kind: 'moment' },
  ],
  fields: [
    belongsTo('owner_id', 'Owner', 'chat-users'),
    {
      name: 'max_uses',
      label: 'Maximum uses',
      kind: 'choice',
      choices: uses,
      isRequired: true,
      initial: '20',
      sql: 'CAST(t.max_uses AS TEXT)',
      help: 'Of all active referrals of one person together 100 at most, unless they are a superuser.',
    },
    {
      name: 'expiry_timeframe',
      label: 'Expires after',
      kind: 'choice',
      choices: periods,
      isRequired: true,
      initial: '1w',
      readOnly: 'after_adding',
    },
    ...shownOnly([
      { name: 'code', label: 'Code', kind: 'text', sql: codeBeginning },
      { name: 'num_uses', label: 'Uses', kind: 'integer' },
      { name: 'created_at', label: 'Made', kind: 'moment' },
      { name: 'expires_at', label: 'Expires', kind: 'moment' },
      { name: 'revoked_at', label: 'Revoked', kind: 'moment' },
    ]),
  ],
  related: [{ label: 'Redemptions', table: 'redemptions', filter: 'referral_id' }],
  actions: [
    { name: 'revoke', label: 'Revoke', run: revoke, isDangerous: true, confirm: 'Nobody can use it any more.' },
  ],
  save: saveReferral,
  remove: removeReferral,
}

async function revoke({ DB }: Env, { keys, actor, now }: AdminAct): Promise<string> {
  const { revoked } = await revokeReferrals(
    DB,
    { role: 'superuser', chatId: null, audit: actor },
    keys.map(Number),
    now,
  )
  if (revoked === 0) throw conflict(cannotRevoke)
  const others = keys.length - revoked
  const rest = others > 0 ? ` ${others} ${others === 1 ? 'was' : 'were'} used or had ended.` : ''
  return `${counted(revoked, 'referral')} revoked.${rest}`
}
