import { Icon } from '../../../client/components/icon.tsx'
import { filterNames, type ListQuery, listAddress } from '../list/list-query.ts'
import type { Filter, Table } from '../table.ts'

interface Props {
  table: Table
  query: ListQuery
  filterTitles: ReadonlyMap<string, string>
}

export function FilterChips({ table, query, filterTitles }: Props) {
  const chips = table.filters.flatMap((filter) =>
    filterNames(filter).flatMap((name, side) => {
      const value = query.filters.get(name)
      return value === undefined ? [] : [{ name, filter, text: wordsOf(filter, value, side, filterTitles) }]
    }),
  )
  if (chips.length === 0) return null
  return (
    <ul className="chips" aria-label="Filters in use">
      {chips.map(({ name, filter, text }) => (
        <li key={name}>
          <a
            className="chip chip-on"
            href={listAddress(table, query, { without: name })}
            aria-label={`${filter.label}: ${text}. Remove`}
          >
            {filter.label}: <strong>{text}</strong>
            <Icon name="close" size={12} />
          </a>
        </li>
      ))}
    </ul>
  )
}

function wordsOf(filter: Filter, value: string, side: number, titles: Props['filterTitles']): string {
  switch (filter.kind) {
    case 'boolean':
      return value === '0' ? 'no' : 'yes'
    case 'choice':
      return filter.choices.find((choice) => choice.value === value)?.label ?? value
    case 'moment':
      return `${side === 0 ? 'from' : 'until'} ${value}`
    case 'reference':
      return titles.get(filter.name) ?? `“${value}”`
  }
}
