import { shownOnly } from '../../web/admin-text-fields.ts'
import type { AdminAct } from '../../web/admin-change.ts'
import type { TextTable } from '../../web/admin-text-table.ts'
import { counted } from '../../web/counted.ts'
import { conflict } from '../../web/refusal.ts'
import { retryDeliveries } from '../deliveries/retry-delivery.ts'
import { area, channels, deliveryStates, sectionJoin, sectionName } from './parts.ts'

/** Of a contact that was removed only the end is left to see, as everywhere. */
const address = `CASE WHEN t.contact_id IS NOT NULL THEN t.address WHEN t.channel = 'phone' THEN '•••• ' || substr(t.address, -4)
  WHEN t.channel = 'email' THEN substr(t.address, 1, 1) || '•••' || substr(t.address, instr(t.address, '@')) ELSE 'Discord webhook' END`

/** Messages, sent or not. */
export const deliveriesTable: TextTable = {
  name: 'deliveries',
  label: 'Message',
  labels: 'Messages',
  area,
  about: 'One message to one contact carries one alert or more. One that failed or became too old can be sent again.',
  table: 'delivery',
  title: `r.name || ': ' || t.channel || ' ' || t.state`,
  join: 'LEFT JOIN recipient r ON r.id = t.recipient_id',
  columns: [
    { name: 'recipient', label: 'Recipient', sql: 'r.name' },
    { name: 'channel', label: 'Channel', kind: 'choice', choices: channels },
    { name: 'address', label: 'To', sql: address },
    { name: 'state', label: 'State', kind: 'choice', choices: deliveryStates },
    { name: 'attempts', label: 'Tries', kind: 'number' },
    {
      name: 'alerts',
      label: 'Alerts',
      kind: 'number',
      sql: '(SELECT count(*) FROM delivery_alert l WHERE l.delivery_id = t.id)',
    },
    { name: 'created_at', label: 'Made', kind: 'moment' },
    { name: 'accepted_at', label: 'Accepted', kind: 'moment' },
    { name: 'last_error', label: 'Last error' },
  ],
  search: {
    label: 'Recipient, error or the provider’s number',
    contains: ['(SELECT r.name FROM recipient r WHERE r.id = t.recipient_id)', 't.last_error', 't.provider_id'],
  },
  filters: [
    {
      name: 'failed',
      label: 'Needs attention',
      kind: 'choice',
      isIndexed: true,
      choices: [{ value: 'yes', label: 'Failed or too old', where: "t.state IN ('failed', 'expired')" }],
    },
    { name: 'recipient_id', label: 'Recipient', kind: 'reference', to: 'recipients', isIndexed: true },
    { name: 'state', label: 'State', kind: 'choice', choices: deliveryStates },
    { name: 'channel', label: 'Channel', kind: 'choice', choices: channels },
    { name: 'is_repeated', label: 'Sent twice', kind: 'boolean' },
    { name: 'created_at', label: 'Made', kind: 'moment' },
  ],
  fields: shownOnly([
    { name: 'recipient_id', label: 'Recipient', kind: 'reference', to: 'recipients' },
    { name: 'channel', label: 'Channel', kind: 'choice', choices: channels },
    { name: 'address', label: 'To', kind: 'text', sql: address },
    { name: 'state', label: 'State', kind: 'choice', choices: deliveryStates },
    { name: 'attempts', label: 'Tries', kind: 'integer' },
    { name: 'created_at', label: 'Made', kind: 'moment' },
    {
      name: 'due_at',
      label: 'Next try',
      kind: 'moment',
      sql: "iif(t.state IN ('queued', 'sending', 'unconfirmed'), t.due_at, NULL)",
    },
    { name: 'first_tried_at', label: 'First try', kind: 'moment' },
    { name: 'tried_at', label: 'Last try', kind: 'moment' },
    { name: 'accepted_at', label: 'Accepted by the provider', kind: 'moment' },
    { name: 'delivered_at', label: 'Delivered', kind: 'moment' },
    { name: 'provider_id', label: 'The provider’s number', kind: 'text' },
    { name: 'is_repeated', label: 'Sent twice', kind: 'boolean' },
    { name: 'last_error', label: 'Last error', kind: 'text' },
  ]),
  panels: [
    {
      heading: 'Alerts',
      sql: `SELECT a.id, a.kind, a.created_at, ${sectionName} AS section
        FROM delivery_alert l JOIN class_alert a ON a.id = l.alert_id LEFT JOIN section s ON s.id = a.section_id ${sectionJoin}
        WHERE l.delivery_id = ?1 ORDER BY a.id LIMIT 50`,
      columns: [
        { name: 'id', label: 'Number', kind: 'number' },
        { name: 'section', label: 'Section' },
        { name: 'kind', label: 'Kind' },
        { name: 'created_at', label: 'Made', kind: 'moment' },
      ],
      empty: 'None any more: its sections are no longer watched.',
    },
  ],
  actions: [{ name: 'retry', label: 'Retry', run: retry }],
  mayAdd: false,
  mayChange: false,
  mayDelete: false,
}

async function retry(env: Env, { keys, actor, now }: AdminAct): Promise<string> {
  const { retried, present } = await retryDeliveries(env, { role: 'superuser', audit: actor }, keys.map(Number), now)
  const [first] = present
  if (retried.length === 0) {
    throw conflict(
      keys.length === 1 && first
        ? `This message is ${first.state}: only one that failed or became too old can be retried.`
        : 'None of these messages has failed or become too old: only such a one can be retried.',
    )
  }
  const others = keys.length - retried.length
  const rest =
    others === 0
      ? ''
      : ` ${others} ${others === 1 ? 'has' : 'have'} not failed, or ${others === 1 ? 'is' : 'are'} gone.`
  return `${counted(retried.length, 'message is', 'messages are')} being sent again.${rest}`
}
