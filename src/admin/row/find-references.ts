import { type Database, readTogether, type Template } from '../../db/query.ts'
import { typedSearch } from '../../lib/text.ts'
import type { AdminRow } from '../../web/admin-change.ts'
import { textField } from '../../web/parse.ts'
import type { ListQuery } from '../list/list-query.ts'
import { listStatements } from '../list/list-statements.ts'
import { titlesOf } from '../list/read-list.ts'
import type { Field, Table, Tables } from '../table.ts'
import { parseKey } from '../table-parts.ts'
import type { Option } from './form-state.ts'
import type { Found } from './posted-form.ts'

/** How many rows are offered for one search. */
const MAX_OPTIONS = 20
/** The most searches in one form. */
const MAX_REFERENCES = 60

interface Question {
  name: string
  statements: Template<AdminRow>[]
}

/** What the reference controls of a posted form need: a search's results, or whether a chosen row exists. */
export function referenceQuestions(tables: Tables, table: Table, form: FormData, timeZone: string): Question[] {
  const questions: Question[] = []
  for (const { name, field } of referenceControls(table, form)) {
    const target = field.kind === 'reference' ? tables.get(field.to) : undefined
    if (!target || questions.length >= MAX_REFERENCES) continue
    const q = typedSearch(textField(form, `${name}-search`))
    const key = parseKey(target, textField(form, name))
    if (q !== '') questions.push({ name, statements: searchStatements(tables, target, q, timeZone) })
    else if (key !== null) questions.push({ name, statements: [titlesOf(target, [key])] })
  }
  return questions
}

/** The rows of a table that a search finds, for a field that refers to one of them; one round trip. */
export async function findOptions(
  db: Database,
  tables: Tables,
  target: Table,
  { search, timeZone }: { search: string; timeZone: string },
): Promise<{ options: Option[] }> {
  const q = typedSearch(search)
  if (q === '') return { options: [] }
  const statements = searchStatements(tables, target, q, timeZone)
  const found = foundReferences([{ name: target.name, statements }], await readTogether(db, ...statements))
  return { options: [...(found.get(target.name)?.options ?? [])] }
}

function searchStatements(tables: Tables, target: Table, q: string, timeZone: string): Template<AdminRow>[] {
  const query: ListQuery = {
    q,
    sort: null,
    isDescending: target.order !== 'oldest_first',
    filters: new Map(),
    cursor: null,
  }
  const { page, beginning } = listStatements(tables, target, query, { size: MAX_OPTIONS, timeZone })
  return beginning ? [beginning, page] : [page]
}

function referenceControls(table: Table, form: FormData): { name: string; field: Field }[] {
  const own = table.fields.map((field) => ({ name: field.name, field }))
  const names = [...new Set([...form.keys()].map((name) => name.replace(/-search$/, '')))]
  const inlines = table.inlines.flatMap((inline) =>
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
      return [name, { options: found.slice(0, MAX_OPTIONS), isMore: found.length > MAX_OPTIONS }]
    }),
  )
}
