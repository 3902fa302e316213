import { insist } from '../../db/insist.ts'
import type { AdminChange, AdminFault, AdminPlan, AdminRemoval } from '../../web/admin-change.ts'
import { insertReferral, tooManyActive } from '../referrals/create-referral.ts'
import { activeReferral, mostActiveUses, readReferralForm } from '../referrals/referral-rules.ts'

interface Owner {
  is_manager: number
  is_superuser: number
}

/** The rules of the owner's own form, asked of the owner: what they could not have, nobody gives them. */
export async function saveReferral({ DB }: Env, { key, before, values, now }: AdminChange): Promise<AdminPlan> {
  const ownerId = Number(values['owner_id'])
  const owner = await DB.prepare(
    `SELECT d.role = 'manager' AS is_manager, u.is_superuser AND d.unlinked_at IS NULL AS is_superuser
     FROM discord_user d JOIN user u ON u.id = d.user_id WHERE d.id = ?`,
  )
    .bind(ownerId)
    .first<Owner>()
  if (!owner) return { faults: [{ field: 'owner_id', message: 'This person is no longer there.' }] }
  const max_uses_choice = String(values['max_uses'])
  const { choice, errors } = readReferralForm(
    { max_uses_choice, expiry_timeframe: key === null ? String(values['expiry_timeframe']) : '1w' },
    owner.is_manager === 1,
  )
  const faults = faultsOf(errors)
  if (faults.length > 0) return { faults }
  const isSuperuser = owner.is_superuser === 1
  if (key === null) {
    return {
      statements: [
        insertReferral({ chatId: ownerId, isSuperuser }, choice, now),
        insist(DB, 'changes() = 1', [], tooManyActive),
      ],
      said: 'The referral was added.',
    }
  }
  const isMore = choice.maxUses > Number(before?.['max_uses'])
  return {
    statements: [
      insist(
        DB,
        '? = 0 OR (SELECT num_uses FROM referral WHERE id = ?) <= ?',
        [choice.maxUses, key, choice.maxUses],
        'It was used more often than that already.',
      ),
      DB.prepare('UPDATE referral SET max_uses = ? WHERE id = ?').bind(choice.maxUses, key),
      insist(
        DB,
        `? OR (SELECT coalesce(sum(r.max_uses), 0) FROM referral r WHERE r.owner_id = ? AND ${activeReferral(String(Number(now)))})
          <= ${mostActiveUses}`,
        [isSuperuser || !isMore ? 1 : 0, ownerId],
        tooManyActive,
      ),
    ],
  }
}

function faultsOf({ max_uses_choice, expiry_timeframe }: ReturnType<typeof readReferralForm>['errors']): AdminFault[] {
  return [
    ...(max_uses_choice === undefined ? [] : [{ field: 'max_uses', message: max_uses_choice }]),
    ...(expiry_timeframe === undefined ? [] : [{ field: 'expiry_timeframe', message: expiry_timeframe }]),
  ]
}

/** Of one that was used, who came by it stays known. */
export async function removeReferral({ DB }: Env, { key }: AdminRemoval): Promise<AdminPlan> {
  return {
    statements: [
      insist(
        DB,
        'NOT EXISTS (SELECT 1 FROM redemption WHERE referral_id = ?)',
        [key],
        'This referral was used: it stays, so that it can be seen who came by it.',
      ),
      DB.prepare('DELETE FROM referral WHERE id = ?').bind(key),
    ],
  }
}
