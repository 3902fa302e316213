import { writeTogether } from '../../db/query.ts'
import type { AdminAct, AdminOutcome } from '../../web/admin-change.ts'
import { Refusal } from '../../web/refusal.ts'
import { auditedSet } from '../audit/audit-set.ts'
import { explainError } from '../row/explain-error.ts'
import type { Action, Table } from '../table.ts'
import { inSentence } from '../table-parts.ts'

/** What came of an action: what it said, or why not. */
export type Outcome = { kind: 'done'; outcome: AdminOutcome } | { kind: 'refused'; messages: string[] }

export async function runAction(env: Env, table: Table, action: Action, act: AdminAct): Promise<Outcome> {
  try {
    if ('set' in action)
      return { kind: 'done', outcome: { said: await setColumns(env, table, action, act), details: [] } }
    const said = await action.run(env, act)
    return { kind: 'done', outcome: typeof said === 'string' ? { said, details: [] } : said }
  } catch (error) {
    if (error instanceof Refusal) return { kind: 'refused', messages: error.messages }
    const faults = explainError(table, error)
    if (!faults) throw error
    return { kind: 'refused', messages: faults.map(({ message }) => message) }
  }
}

async function setColumns(
  env: Env,
  table: Table,
  action: Extract<Action, { set: unknown }>,
  act: AdminAct,
): Promise<string> {
  const [{ changes: changed }] = await writeTogether(env.DB, [
    ...auditedSet(env.DB, table, act.keys, action.set, act),
    ...(act.along ?? []),
  ])
  const others = act.keys.length - changed
  const name = inSentence(changed === 1 ? table.label : table.labels)
  const rest = others > 0 ? ` ${others} ${others === 1 ? 'was' : 'were'} so already, or gone.` : ''
  return `${action.label}: ${changed} ${name} changed.${rest}`
}
