import { sql } from 'drizzle-orm'
import { enqueueMails } from '../../accounts/mails/prepare-mail.ts'
import {
  constant,
  type Query,
  readTogether,
  refusalIn,
  refuseUnless,
  type Template,
  template,
  writeTogether,
} from '../../db/query.ts'
import { MAX_CONNECTIONS } from '../../jobs/connections.ts'
import { runAtMost } from '../../lib/collections.ts'
import type { AdminRequest, AdminKey, AdminPlan, AdminRemoval, AdminRow, AdminValue } from '../../web/admin-change.ts'
import { auditEntry } from '../../web/audit.ts'
import { namesText, noticesOf } from '../guard/notices.ts'
import { type Cascade, type Table, type Tables } from '../table.ts'
import { inSentence, nameOf } from '../table-parts.ts'
import { explainError } from './explain-error.ts'
import { deleteStatement } from './plain-statements.ts'
import { type KnownRow, knownRow, rowStatements, unchangedCondition } from './read-row.ts'
import { changedMeanwhile } from './stale-row.ts'
import { isIn } from '../../db/json-argument.ts'

/** Other rows that a delete removes or changes: how many, and some examples. */
export interface Affected {
  label: string
  effect: string
  count: number
  isMore: boolean
  examples: string[]
}

const MAX_COUNTED = 10_000
const MAX_EXAMPLES = 5

/** The rows to delete, and the effects on other rows, in one round trip. */
export async function readRemoval(
  db: D1Database,
  tables: Tables,
  table: Table,
  keys: readonly AdminKey[],
): Promise<{ rows: KnownRow[]; affected: Affected[] }> {
  const own = keys.map((key) => rowStatements(tables, table, key))
  const list = JSON.stringify(keys)
  const lists = await readTogether(
    db,
    ...own.flat(),
    ...table.cascades.flatMap((cascade) => affectedStatements(cascade, list)),
  )
  const rows = own.flatMap((statements) => knownRow(table, lists.splice(0, statements.length)) ?? [])
  const affected = table.cascades.map(({ label, effect }, index) => {
    const count = Number(lists[index * 2]?.[0]?.['count'] ?? 0)
    const examples = (lists[index * 2 + 1] ?? []).map((row) => String(row['title'] ?? ''))
    return { label, effect, count: Math.min(count, MAX_COUNTED), isMore: count > MAX_COUNTED, examples }
  })
  return { rows, affected: affected.filter(({ count }) => count > 0) }
}

function affectedStatements({ from, where, key, title }: Cascade, keys: string): Template<AdminRow>[] {
  const among = sql`FROM ${from} WHERE ${isIn(key, keys)}${where ? sql` AND ${where}` : sql``}`
  return [
    template(
      { count: sql<AdminValue>`count(*)` },
      (columns) => sql`SELECT ${columns} FROM (SELECT 1 ${among} LIMIT ${constant(MAX_COUNTED + 1)})`,
    ),
    template(
      { title: sql<AdminValue>`${title}` },
      (columns) => sql`SELECT ${columns} ${among} LIMIT ${constant(MAX_EXAMPLES)}`,
    ),
  ]
}

type Removed = { kind: 'removed'; message: string } | { kind: 'refused'; status: 409 | 422; messages: string[] }

interface RemovalRequest extends AdminRequest {
  /** Whether the people concerned are notified. */
  isGuarded: boolean
  /** For the batch: a check that the person is still a superuser. */
  isAllowed: Query
}

/** Deletes rows if they are unchanged since they were read, all or none, each with its audit entry. */
export async function removeRows(
  env: Env,
  table: Table,
  rows: readonly KnownRow[],
  { isGuarded, isAllowed, ...request }: RemovalRequest,
): Promise<Removed> {
  const statements: Query[] = [isAllowed]
  const afterwards: (() => Promise<unknown>)[] = []
  let message: string | undefined
  for (const known of rows) {
    const removal: AdminRemoval = { key: known.key, before: known.values, ...request }
    const objections = (await table.refuse?.(env, { remove: removal })) ?? []
    if (objections.length > 0) return { kind: 'refused', status: 422, messages: [...objections] }
    const plan = await planOf(env, table, removal)
    if ('errors' in plan) return { kind: 'refused', status: 422, messages: plan.errors.map(({ message }) => message) }
    statements.push(
      refuseUnless(unchangedCondition(table, known), changedMeanwhile),
      ...plan.statements,
      auditEntry(
        request.actor,
        {
          act: 'deleted',
          area: 'admin',
          table: table.table,
          key: String(known.key),
          title: known.title,
          before: plan.audit?.before ?? stateOf(known),
          after: plan.audit?.after ?? null,
        },
        request.now,
      ),
    )
    if (plan.afterwards) afterwards.push(plan.afterwards)
    message = plan.message
  }
  const act = { ...request, keys: rows.map(({ key }) => key), what: removalText(table, rows), changes: [] }
  const notices = isGuarded ? await noticesOf(env, table, act) : []
  try {
    await writeTogether(env.DB, [...statements, ...notices.map(({ statement }) => statement)])
  } catch (error) {
    if (refusalIn(error) === changedMeanwhile) {
      return { kind: 'refused', status: 409, messages: [`${changedMeanwhile} Review it before you continue.`] }
    }
    const errors = explainError(table, error)
    if (!errors) throw error
    return { kind: 'refused', status: 422, messages: errors.map(({ message }) => message) }
  }
  // Each may wait for Discord, and requests that the platform holds back would time out unsent.
  await runAtMost(MAX_CONNECTIONS, afterwards, (work) => work())
  await enqueueMails(env, notices)
  return { kind: 'removed', message: message !== undefined && rows.length === 1 ? message : goneSentence(table, rows) }
}

async function planOf(env: Env, table: Table, removal: AdminRemoval): Promise<AdminPlan> {
  return table.remove ? table.remove(env, removal) : { statements: [deleteStatement(table, removal.key)] }
}

function removalText(table: Table, rows: readonly KnownRow[]): string {
  const names = rows.map(({ key, title }) => nameOf(table, key, title))
  const many = rows.length === 1 ? inSentence(table.label) : `${rows.length} ${inSentence(table.labels)}`
  return `Deleted ${many}: ${namesText(names)}`
}

function goneSentence(table: Table, rows: readonly KnownRow[]): string {
  const [first] = rows
  if (rows.length === 1 && first) return `${first.title === '' ? table.label : first.title} was deleted.`
  return `${rows.length} ${inSentence(table.labels)} were deleted.`
}

/** Everything the admin shows of a row, for the audit. */
function stateOf({ values, inlines }: KnownRow): AdminRow {
  const state = { ...values }
  for (const [name, rows] of Object.entries(inlines)) {
    for (const row of rows) {
      for (const [field, value] of Object.entries(row.values)) state[`${name}-${row.key}-${field}`] = value
    }
  }
  return state
}
