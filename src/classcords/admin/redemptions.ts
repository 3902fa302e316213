import { belongsTo, discordId, shownOnly } from '../../web/admin-text-fields.ts'
import type { TextTable } from '../../web/admin-text-table.ts'
import { area } from './parts.ts'
import { addRedemption, removeRedemption } from './save-redemption.ts'

/** Who came by whose referral: history, put right by adding and deleting alone. */
export const redemptionsTable: TextTable = {
  name: 'redemptions',
  label: 'Redemption',
  labels: 'Redemptions',
  area,
  about:
    'Who came by a referral. Whoever did not get to the end of signing up has no chat user. One that is deleted gives its use back.',
  table: 'redemption',
  title: "coalesce(d.display_name, t.discord_id) || ' by ' || o.display_name",
  join: `LEFT JOIN referral r ON r.id = t.referral_id LEFT JOIN discord_user o ON o.id = r.owner_id
    LEFT JOIN discord_user d ON d.discord_id = t.discord_id`,
  columns: [
    { name: 'created_at', label: 'When', kind: 'moment' },
    { name: 'person', label: 'Who', sql: 'd.display_name', link: { table: 'chat-users', key: 'd.id' } },
    { name: 'discord_id', label: 'Discord ID' },
    { name: 'owner', label: 'Referred by', sql: 'o.display_name', link: { table: 'chat-users', key: 'o.id' } },
    { name: 'referral', label: 'Referral', kind: 'number', sql: 'r.id', link: { table: 'referrals', key: 'r.id' } },
  ],
  search: {
    label: 'Discord ID or name',
    contains: ['t.discord_id', '(SELECT d.display_name FROM discord_user d WHERE d.discord_id = t.discord_id)'],
    begins: ['t.discord_id'],
  },
  filters: [
    { name: 'referral_id', label: 'Referral', kind: 'reference', to: 'referrals', isIndexed: true },
    { name: 'created_at', label: 'When', kind: 'moment' },
  ],
  fields: [
    belongsTo('referral_id', 'Referral', 'referrals'),
    discordId('discord_id', 'Of who came by it.'),
    ...shownOnly([
      { name: 'person_id', label: 'Chat user', kind: 'reference', to: 'chat-users', sql: 'd.id' },
      { name: 'created_at', label: 'When', kind: 'moment' },
    ]),
  ],
  mayChange: false,
  save: addRedemption,
  remove: removeRedemption,
}
