import { insist } from '../../db/insist.ts'
import type { Actor } from '../../web/audit.ts'

/** Why somebody may not take this from themselves; null when it is about somebody else. */
export const selfRefusals = {
  is_superuser: 'You cannot take your own superuser rights. Another superuser can.',
  is_active: 'You cannot disable yourself. Another superuser can.',
  deleted: 'You cannot delete yourself. Another superuser can.',
} as const

/**
 * For a batch, behind what it changes: whoever asks is still a superuser who can log in. Because nobody takes that from
 * themselves, a superuser always remains, also when two take it from each other at the same moment.
 */
export function insistOnSuperuser(db: D1Database, actor: Actor): D1PreparedStatement {
  return insist(
    db,
    'EXISTS (SELECT 1 FROM user WHERE id = ? AND is_superuser AND is_active)',
    [actor.userId],
    'You are no longer a superuser yourself, so nothing was changed.',
  )
}
