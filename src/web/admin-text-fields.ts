import type { TextField } from './admin-text-table.ts'

/*
 * Fields that most tables of the admin have.
 */

/** The row of another table that a row belongs to: chosen when it is added, and shown from then on. */
export const belongsTo = (name: string, label: string, to: string): TextField => ({
  name,
  label,
  kind: 'reference',
  to,
  isRequired: true,
  readOnly: 'after_adding',
})

/** Fields that are shown and never written. */
export const shownOnly = (fields: readonly TextField[]): TextField[] =>
  fields.map((field) => ({ ...field, readOnly: 'always' }))

/** An id of Discord's, a snowflake as text, given once. Source: https://discord.com/developers/docs/reference#snowflakes */
export const discordId = (name: string, help?: string): TextField => ({
  name,
  label: 'Discord ID',
  kind: 'text',
  isRequired: true,
  readOnly: 'after_adding',
  check: (id) => (/^[1-9]\d{16,19}$/.test(String(id)) ? null : 'A Discord ID has 17 to 20 digits.'),
  ...(help !== undefined && { help }),
})
