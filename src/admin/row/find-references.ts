import type { AdminField, AdminRow, AdminTable } from '../../web/admin-table.ts'
import { textField } from '../../web/parse.ts'
import type { ListQuery } from '../list/list-query.ts'
import { listStatements } from '../list/list-statements.ts'
import { titleStatement } from '../list/read-list.ts'
import { parseKey, type Tables } from '../table-parts.ts'
import type { Found } from './posted-form.ts'

/** Rows offered for one search. */
const mostOptions = 20
/** Searches of one form: more than that is nobody's form. */
const mostReferences = 60

interface Question {
  name: string
  statements: D1PreparedStatement[]
}

/** What the reference controls of a posted form ask: a search to settle, or whether a chosen row is there. */
export function referenceQuestions(
  db: D1Database,
  tables: Tables,
  table: AdminTable,
  form: FormData,
  timeZone: string,
): Question[] {
  const questions: Question[] = []
  for (const { name, field } of referenceControls(table, form)) {
    const target = field.kind === 'reference' ? tables.get(field.to) : undefined
    if (!target || questions.length >= mostReferences) continue
    const q = textField(form, `${name}-search`).trim().slice(0, 100)
    const key = parseKey(target, textField(form, name))
    if (q !== '') questions.push({ name, statements: searchStatements(db, tables, target, q, timeZone) })
    else if (key !== null) questions.push({ name, statements: [titleStatement(db, target, key)] })
  }
  return questions
}

function searchStatements(
  db: D1Database,
  tables: Tables,
  target: AdminTable,
  q: string,
  timeZone: string,
): D1PreparedStatement[] {
  const query: ListQuery = {
    q,
    sort: null,
    isDescending: target.order !== 'oldest_first',
    filters: new Map(),
    cursor: null,
  }
  const { page, beginning } = listStatements(db, tables, target, query, { size: mostOptions, timeZone })
  return beginning ? [beginning, page] : [page]
}

function referenceControls(table: AdminTable, form: FormData): { name: string; field: AdminField }[] {
  const own = table.fields.map((field) => ({ name: field.name, field }))
  const names = [...new Set([...form.keys()].map((name) => name.replace(/-search$/, '')))]
  const inlines = (table.inlines ?? []).flatMap((inline) =>
    inline.fields.flatMap((field) =>
      names
        .filter((name) => name.startsWith(`${inline.name}-`) && name.endsWith(`-${field.name}`))
        .map((name) => ({ name, field })),
    ),
  )
  return [...own, ...inlines].filter(({ field }) => field.kind === 'reference' && field.readOnly !== 'always')
}

/** The answers, from the rows of the questions' statements in their order. */
export function foundReferences(
  questions: readonly Question[],
  lists: readonly (readonly AdminRow[])[],
): ReadonlyMap<string, Found> {
  let at = 0
  return new Map(
    questions.map(({ name, statements }) => {
      const rows = statements.flatMap(() => lists[at++] ?? [])
      const options = new Map(rows.map((row) => [String(row['key']), String(row['title'] ?? '')]))
      const found = [...options].map(([value, label]) => ({ value, label: `${label} (${value})` }))
      return [name, { options: found.slice(0, mostOptions), isMore: found.length > mostOptions }]
    }),
  )
}
