import { typedSearch } from '../../lib/text.ts'
import { parseLocalTime } from '../../lib/time.ts'
import type { AdminKey, AdminValue } from '../../web/admin-change.ts'
import type { Column, Filter, Table } from '../table.ts'
import { listPath, parseKey } from '../table-parts.ts'

/** What a URL asks of a list. Invalid parts are ignored. */
export interface ListQuery {
  q: string
  /** Null: by key. */
  sort: Column | null
  isDescending: boolean
  /** By filter name; for a time `<name>_from` and `<name>_to`. */
  filters: ReadonlyMap<string, string>
  cursor: Cursor | null
}

const sides = ['after', 'before', 'from', 'until'] as const

/** The row a page begins or ends at: `from` and `until` include it, `after` and `before` exclude it. */
export interface Cursor {
  side: (typeof sides)[number]
  key: AdminKey
  sort: AdminValue
}

export const isBackwards = ({ cursor }: Pick<ListQuery, 'cursor'>): boolean =>
  cursor?.side === 'before' || cursor?.side === 'until'

const opposites = { after: 'until', before: 'from', from: 'before', until: 'after' } as const

/** The same place in the opposite direction: a row that one excludes, the other includes. */
export const reversed = (cursor: Cursor): Cursor => ({ ...cursor, side: opposites[cursor.side] })

export const isNarrowed = ({ q, filters }: ListQuery): boolean => q !== '' || filters.size > 0

export function filterNames({ name, kind }: { name: string; kind: string }): string[] {
  return kind === 'moment' ? [`${name}_from`, `${name}_to`] : [name]
}

export function readListQuery(table: Table, given: URLSearchParams): ListQuery {
  const asked = given.get('sort') ?? ''
  const name = asked.replace(/^-/, '')
  const sort = table.columns.find((column) => column.sort !== undefined && column.name === name) ?? null
  const filters = table.filters.flatMap((filter) =>
    filterNames(filter).flatMap((one) => {
      const value = typedSearch(given.get(one) ?? '')
      return value !== '' && isUsable(filter, value) ? [[one, value] as const] : []
    }),
  )
  return {
    q: table.search ? typedSearch(given.get('q') ?? '') : '',
    sort,
    isDescending: sort ? asked.startsWith('-') : table.order !== 'oldest_first',
    filters: new Map(filters),
    cursor: readCursor(table, sort, given),
  }
}

/** A value that filters nothing must not be shown as a filter in use. */
function isUsable(filter: Filter, value: string): boolean {
  switch (filter.kind) {
    case 'choice':
      return filter.choices.some((choice) => choice.value === value)
    case 'boolean':
      return value === '1' || value === '0'
    case 'moment':
      return parseLocalTime(value, 'UTC') !== null
    case 'reference':
      return true
  }
}

function readCursor(table: Table, sort: Column | null, given: URLSearchParams): Cursor | null {
  for (const side of sides) {
    const [keyText = '', sortText] = (given.get(side) ?? '').split('~')
    const key = parseKey(table, decoded(keyText))
    if (key === null) continue
    if (!sort) return { side, key, sort: null }
    if (sortText === undefined) continue
    const isNumber = sort.kind === 'number' || sort.kind === 'moment' || sort.kind === 'boolean'
    const value = isNumber ? Number(sortText) : decoded(sortText)
    if (typeof value === 'string' || Number.isFinite(value)) return { side, key, sort: value }
  }
  return null
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return ''
  }
}

/** A tilde separates the parts of a cursor, so neither contains one. */
const cursorPart = (part: string | number): string => encodeURIComponent(part).replaceAll('~', '%7E')

/** The list's URL with some of it changed. A different search, order or filter starts at the first page. */
export function listAddress(
  table: Table,
  query: ListQuery,
  change: { sort?: string; without?: string; cursor?: Cursor; path?: string } = {},
): string {
  const words = new URLSearchParams()
  if (query.q !== '' && change.without !== 'q') words.set('q', query.q)
  for (const [name, value] of query.filters) if (name !== change.without) words.set(name, value)
  const sort = change.sort ?? (query.sort ? `${query.isDescending ? '-' : ''}${query.sort.name}` : '')
  if (sort !== '') words.set('sort', sort)
  if (change.cursor) {
    const { side, key, sort: value } = change.cursor
    const parts = query.sort ? [key, value ?? ''] : [key]
    words.set(side, parts.map(cursorPart).join('~'))
  }
  const text = words.toString()
  return `${listPath(table)}${change.path ?? ''}${text === '' ? '' : `?${text}`}`
}
