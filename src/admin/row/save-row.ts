import { sql } from 'drizzle-orm'
import { enqueueMails, type WaitingMail } from '../../accounts/mails/prepare-mail.ts'
import { type Query, readTogether, writeThenRead, refusalIn, refuseUnless, selectValues } from '../../db/query.ts'
import type { AdminChange, AdminKey, AdminPlan, AdminRequest } from '../../web/admin-change.ts'
import { textField } from '../../web/parse.ts'
import { describeChanges, isGuardedChange } from '../guard/guarded.ts'
import { type GuardedAct, namesText, noticesOf } from '../guard/notices.ts'
import type { Table, Tables } from '../table.ts'
import { inSentence, noSuchRow } from '../table-parts.ts'
import { explainError } from './explain-error.ts'
import { foundReferences, referenceQuestions } from './find-references.ts'
import { attachErrors, type FormState, type Saved } from './form-state.ts'
import { addedKeyOf, saveStatements } from './plain-statements.ts'
import { postedForm } from './posted-form.ts'
import { type KnownRow, knownRow, rowStatements, unchangedCondition } from './read-row.ts'
import { changesOf, isAnyChange } from './row-changes.ts'
import { changedMeanwhile, fingerprintOf, stale, staleAgain } from './stale-row.ts'
import { auditEntry } from '../../web/audit.ts'
import type { FormError } from '../../web/refusal.ts'

interface SaveOptions extends AdminRequest {
  /** Null: a row to add. */
  key: AdminKey | null
  form: FormData
  timeZone: string
  /** Whether the person has confirmed who they are within the last few minutes. */
  isFresh: boolean
  /** For the batch: a check that the person is still a superuser. */
  isAllowed: Query
}

/** One round trip to read, one to write with the audit entry. @throws notFound */
export async function saveRow(env: Env, tables: Tables, table: Table, options: SaveOptions): Promise<Saved> {
  const { key, form, timeZone, isFresh, isAllowed, actor, now } = options
  const own = key === null ? [] : rowStatements(tables, table, key)
  const questions = referenceQuestions(tables, table, form, timeZone)
  const lists = await readTogether(env.DB, ...own, ...questions.flatMap((question) => question.statements))
  const known = key === null ? null : knownRow(table, lists)
  if (key !== null && !known) throw noSuchRow(table, key)
  const found = foundReferences(questions, lists.slice(own.length))
  const read = postedForm(tables, table, { form, known, found, timeZone })
  const refused = (errors: readonly FormError[]): Saved => ({
    kind: 'refused',
    status: 422,
    state: read.state,
    errors: [...read.errors, ...errors],
    known,
  })
  // Checked first, because every answer shows the row's new state: a reader who was not warned would overwrite it.
  if (known && textField(form, 'was') !== (await fingerprintOf(table, known))) return stale(read, known, timeZone)
  if (textField(form, 'act') === 'look_up') {
    return { kind: 'refused', status: 200, state: read.state, errors: [], known }
  }
  if (read.errors.length > 0) return refused([])
  const change: AdminChange = {
    key,
    before: known?.values ?? null,
    values: read.values,
    inlines: read.inlines,
    actor,
    now,
  }
  const changes = changesOf(change)
  if (known && !isAnyChange(changes)) return { kind: 'saved', key: known.key, message: 'Nothing was changed.' }
  const objections = (await table.refuse?.(env, key === null ? { add: change } : { change })) ?? []
  if (objections.length > 0) return refused(objections.map((message) => ({ message })))
  const plan = await planOf(env, table, change)
  if ('errors' in plan) return refused(placeErrors(read.state, plan.errors))
  const isGuarded = isGuardedChange(table, key === null, changes)
  if (isGuarded && !isFresh) return { kind: 'unconfirmed' }
  const notices = isGuarded ? await noticesOf(env, table, guardedAct(table, change, known)) : []
  try {
    const saved = await writeRow(env, table, { change, known, plan, notices, isAllowed })
    await enqueueMails(env, notices)
    return saved
  } catch (error) {
    if (known && refusalIn(error) === changedMeanwhile)
      return await staleAgain(env, tables, table, { read, key: known.key, timeZone })
    const text = error instanceof Error ? error.message : ''
    const errors = (await table.explain?.(env, text, change)) ?? explainError(table, error)
    if (!errors) throw error
    return refused(placeErrors(read.state, errors))
  }
}

function guardedAct(table: Table, change: AdminChange, known: KnownRow | null): GuardedAct {
  const { key, values, actor, now } = change
  const title = known?.title ?? titleOfNew(table, change)
  const userField = table.guard?.userField
  return {
    keys: key === null ? [] : [key],
    ...(key === null && userField !== undefined && { addedFor: values[userField] ?? null }),
    what: `${known ? 'Changed' : 'Added'} ${inSentence(table.label)} ${namesText([title])}`,
    changes: describeChanges(table, changesOf(change)),
    actor,
    now,
  }
}

async function planOf(env: Env, table: Table, change: AdminChange): Promise<AdminPlan> {
  return table.save ? table.save(env, change) : { statements: saveStatements(table, change) }
}

/** Assigns errors to their controls and returns all of them for the summary. */
function placeErrors(state: FormState, errors: readonly FormError[]): readonly FormError[] {
  const unplaced = attachErrors(state, errors)
  return errors.map((error) => (unplaced.includes(error) ? { message: error.message } : error))
}

/** A form that was read and may be carried out. */
interface Planned {
  change: AdminChange
  /** The row as it was read; null for a new one. */
  known: KnownRow | null
  plan: Exclude<AdminPlan, { errors: readonly FormError[] }>
  notices: readonly WaitingMail[]
  isAllowed: Query
}

/** Carries out what was planned, with its audit entry and emails, unless the row has changed since it was read. */
async function writeRow(env: Env, table: Table, { change, known, plan, notices, isAllowed }: Planned): Promise<Saved> {
  const { before, after } = plan.audit ?? changesOf({ ...change, values: { ...change.values, ...plan.written } })
  const title = known?.title ?? titleOfNew(table, change)
  const ownKey = known?.key ?? (table.keyKind === 'text' ? String(change.values[table.key] ?? '') : null)
  const addedKey = plan.addedKey ?? addedKeyOf(table)
  const findKey = selectValues({ key: sql<AdminKey>`${addedKey}` })
  const writes = [
    isAllowed,
    ...(known ? [refuseUnless(unchangedCondition(table, known), changedMeanwhile)] : []),
    ...plan.statements,
    auditEntry(
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
    ...notices.map((notice) => notice.statement),
  ]
  const [[added]] = await writeThenRead(env.DB, writes, findKey)
  await plan.afterwards?.()
  const key = ownKey ?? added?.key ?? ''
  return {
    kind: 'saved',
    key,
    message: plan.message ?? `${title === '' ? table.label : title} was ${known ? 'saved' : 'added'}.`,
  }
}

/** The first text of a row that has no title yet. */
function titleOfNew(table: Table, { values }: AdminChange): string {
  const named = table.fields.find(({ kind, name }) => kind === 'text' && String(values[name] ?? '') !== '')
  return named ? String(values[named.name]) : ''
}
