import { notThere } from '../../web/refusal.ts'
import type { Done } from '../contract.ts'

/**
 * Removes a recipient with all that hangs on it: contacts, watches, alerts and their messages.
 * @throws notThere
 */
export async function removeRecipient(db: D1Database, recipientId: number): Promise<Done> {
  const removed = await db.prepare('DELETE FROM recipient WHERE id = ? RETURNING id').bind(recipientId).first()
  if (!removed) throw notThere(`Recipient id ${recipientId} not found`)
  return { is_success: true, message: 'Recipient removed successfully' }
}
