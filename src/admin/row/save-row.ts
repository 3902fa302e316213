import { insist, insistedSentence } from '../../db/insist.ts'
import type {
  AdminAsker,
  AdminChange,
  AdminFault,
  AdminKey,
  AdminPlan,
  AdminRow,
  AdminTable,
} from '../../web/admin-table.ts'
import { auditStatement } from '../../web/audit.ts'
import { textField } from '../../web/parse.ts'
import { notThere } from '../../web/refusal.ts'
import { hashOf } from '../../web/signing.ts'
import { inSentence, keyOf, type Tables } from '../table-parts.ts'
import { explainError } from './explain-error.ts'
import { shownValue } from './field-values.ts'
import { foundReferences, referenceQuestions } from './find-references.ts'
import { type FormState, putFaults } from './form-state.ts'
import { postedForm, type ReadForm } from './posted-form.ts'
import { addedKeySql, saveStatements } from './plain-statements.ts'
import { type KnownRow, knownRow, rowStatements, stateText, unchangedCondition } from './read-row.ts'
import { changesOf, isAnyChange } from './row-changes.ts'

export const changedMeanwhile = 'Somebody else changed this at the same time.'

/** What stands in a form as `was`: whoever saves it says which state of the row they saw. */
export const fingerprintOf = (table: AdminTable, known: KnownRow): Promise<string> => hashOf(stateText(table, known))

export type Saved =
  | { kind: 'saved'; key: AdminKey; said: string }
  /** Nothing was written; the form goes back as it was filled. `known` is the row as it is now. */
  | { kind: 'refused'; status: 200 | 409 | 422; state: FormState; faults: AdminFault[]; known: KnownRow | null }

interface SaveOptions extends AdminAsker {
  /** Null: a row to add. */
  key: AdminKey | null
  form: FormData
  timeZone: string
}

/**
 * Adds or changes a row as its form says: one round trip to read, one to write with the audit entry.
 * @throws notThere
 */
export async function saveRow(env: Env, tables: Tables, table: AdminTable, options: SaveOptions): Promise<Saved> {
  const { key, form, timeZone, actor, now } = options
  const own = key === null ? [] : rowStatements(env.DB, tables, table, key)
  const questions = referenceQuestions(env.DB, tables, table, form, timeZone)
  const statements = [...own, ...questions.flatMap((question) => question.statements)]
  const lists = statements.length === 0 ? [] : (await env.DB.batch<AdminRow>(statements)).map(({ results }) => results)
  const known = key === null ? null : knownRow(table, lists)
  if (key !== null && !known) throw notThere(`There is no ${inSentence(table.label)} ${key}.`)
  const found = foundReferences(questions, lists.slice(own.length))
  const read = postedForm(tables, table, known, form, found, timeZone)
  const refused = (faults: readonly AdminFault[], status: 409 | 422 = 422): Saved => ({
    kind: 'refused',
    status,
    state: read.state,
    faults: [...read.faults, ...faults],
    known,
  })
  // First, because every answer shows the row's state anew: whoever sees it without a word would overwrite it.
  if (known && textField(form, 'was') !== (await fingerprintOf(table, known))) return stale(read, known, timeZone)
  if (textField(form, 'act') === 'look_up') {
    return { kind: 'refused', status: 200, state: read.state, faults: [], known }
  }
  if (read.faults.length > 0) return refused([])
  const change: AdminChange = {
    key,
    before: known?.values ?? null,
    values: read.values,
    inlines: read.inlines,
    actor,
    now,
  }
  const changes = changesOf(change)
  if (known && !isAnyChange(changes)) return { kind: 'saved', key: known.key, said: 'Nothing was changed.' }
  const objections = (await table.refuse?.(env, key === null ? { add: change } : { change })) ?? []
  if (objections.length > 0) return refused(objections.map((message) => ({ message })))
  const plan = await planOf(env, table, change)
  if ('faults' in plan) return refused(laid(read.state, plan.faults))
  try {
    return await write(env, table, change, known, plan)
  } catch (error) {
    if (known && insistedSentence(error) === changedMeanwhile)
      return await staleAgain(env, tables, table, read, known.key, timeZone)
    const text = error instanceof Error ? error.message : ''
    const faults = (await table.explain?.(env, text, change)) ?? explainError(table, error)
    if (!faults) throw error
    return refused(laid(read.state, faults))
  }
}

async function planOf(env: Env, table: AdminTable, change: AdminChange): Promise<AdminPlan> {
  return table.save ? table.save(env, change) : { statements: saveStatements(env.DB, table, change) }
}

/** Puts faults to their controls and gives all of them back, so that the summary can name them. */
function laid(state: FormState, faults: readonly AdminFault[]): readonly AdminFault[] {
  const homeless = putFaults(state, faults)
  return faults.map((fault) => (homeless.includes(fault) ? { message: fault.message } : fault))
}

async function write(
  env: Env,
  table: AdminTable,
  change: AdminChange,
  known: KnownRow | null,
  plan: Exclude<AdminPlan, { faults: readonly AdminFault[] }>,
): Promise<Saved> {
  const { before, after } = plan.audit ?? changesOf(change)
  const title = known?.title ?? nameOfNew(table, change)
  const { column, kind } = keyOf(table)
  const ownKey = known?.key ?? (kind === 'text' ? String(change.values[column] ?? '') : null)
  const addedKey = plan.addedKey ?? addedKeySql(table)
  const guard = known ? unchangedCondition(table, known) : null
  const results = await env.DB.batch<{ key: AdminKey }>([
    ...(guard ? [insist(env.DB, guard.sql, guard.values, changedMeanwhile)] : []),
    ...plan.statements,
    auditStatement(
      env.DB,
      change.actor,
      {
        act: known ? 'changed' : 'added',
        area: 'admin',
        table: table.table,
        key: String(ownKey ?? ''),
        ...(ownKey === null && { addedKey }),
        title,
        before,
        after,
      },
      change.now,
    ),
    ...(ownKey === null ? [env.DB.prepare(`SELECT ${addedKey} AS "key"`)] : []),
  ])
  await plan.afterwards?.()
  const key = ownKey ?? results.at(-1)?.results[0]?.key ?? ''
  return {
    kind: 'saved',
    key,
    said: plan.said ?? `${title === '' ? table.label : title} was ${known ? 'saved' : 'added'}.`,
  }
}

/** The first text of a row that has no title yet. */
function nameOfNew(table: AdminTable, { values }: AdminChange): string {
  const named = table.fields.find(({ kind, name }) => kind === 'text' && String(values[name] ?? '') !== '')
  return named ? String(values[named.name]) : ''
}

/** The second of two who edit one row: what is there now stands beside what they typed, and nothing typed is lost. */
function stale(read: ReadForm, known: KnownRow, timeZone: string): Saved {
  const differing = read.state.controls.flatMap(({ field, name, isReadOnly }): AdminFault[] => {
    const present = known.values[name] ?? null
    if (isReadOnly || read.values[name] === present) return []
    const shown = known.references.get(name) ?? shownValue(field, present, timeZone)
    return [{ field: name, message: `It is ${shown === '' ? 'empty' : `“${shown}”`} now.` }]
  })
  const summary = {
    message: `${changedMeanwhile} Your values are below, each with the one that is there now. Save again to keep yours.`,
  }
  putFaults(read.state, differing)
  return { kind: 'refused', status: 409, state: read.state, faults: [summary, ...differing], known }
}

async function staleAgain(
  env: Env,
  tables: Tables,
  table: AdminTable,
  read: ReadForm,
  key: AdminKey,
  timeZone: string,
): Promise<Saved> {
  const results = await env.DB.batch<AdminRow>(rowStatements(env.DB, tables, table, key))
  const known = knownRow(
    table,
    results.map(({ results: rows }) => rows),
  )
  if (!known) throw notThere(`There is no ${inSentence(table.label)} ${key} any more.`)
  return stale(read, known, timeZone)
}
