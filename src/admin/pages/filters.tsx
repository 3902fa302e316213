import type { ReactNode } from 'react'
import { Button, LinkButton } from '../../../client/components/button.tsx'
import { Field } from '../../../client/components/field.tsx'
import { Icon } from '../../../client/components/icon.tsx'
import { filterNames, isNarrowed, listAddress, type ListQuery } from '../list/list-query.ts'
import type { Column, Filter, Table } from '../table.ts'
import { inSentence, listPath } from '../table-parts.ts'

const yesOrNo = [
  { value: '1', label: 'Yes' },
  { value: '0', label: 'No' },
]

interface Props {
  table: Table
  query: ListQuery
  filterTitles: ReadonlyMap<string, string>
  children: ReactNode
}

/** Search and filters in one form, whose address can be kept, with what it is narrowed to as chips. */
export function ListFilters({ table, query, filterTitles, children }: Props) {
  const filters = table.filters
  const sortable = table.columns.filter(({ sort }) => sort !== undefined)
  const hasMore = filters.length > 0 || sortable.length > 0
  if (!table.search && !hasMore) return <p>{children}</p>
  return (
    <search>
      <form className="row admin-filters" method="get" action={listPath(table)}>
        {table.search ? (
          <div className="search grow">
            <label htmlFor="q" className="hidden-visually">
              Search {inSentence(table.search.label)}
            </label>
            <Icon name="search" size={16} />
            <input
              className="input"
              id="q"
              name="q"
              type="search"
              defaultValue={query.q}
              maxLength={100}
              placeholder={table.search.label}
              autoComplete="off"
            />
          </div>
        ) : null}
        <Button type="submit">Search</Button>
        <FilterChips table={table} query={query} filterTitles={filterTitles} />
        {hasMore ? (
          <details>
            <summary className="chip chip-add">
              <Icon name="plus" size={12} />
              Filters
            </summary>
            <div className="field-group">
              {filters.map((filter) => (
                <FilterControl
                  key={filter.name}
                  filter={filter}
                  query={query}
                  title={filterTitles.get(filter.name)}
                  table={table}
                />
              ))}
              {sortable.length > 0 ? <OrderControl table={table} query={query} sortable={sortable} /> : null}
              <Button type="submit">Apply</Button>
            </div>
          </details>
        ) : null}
        {isNarrowed(query) ? (
          <LinkButton kind="quiet" href={listPath(table)}>
            Clear
          </LinkButton>
        ) : null}
        {children}
      </form>
    </search>
  )
}

/** The order, for screens on which no column headings are shown. */
function OrderControl({ table, query, sortable }: Pick<Props, 'table' | 'query'> & { sortable: readonly Column[] }) {
  return (
    <Field id="order" label="Order">
      <select
        className="input"
        id="order"
        name="sort"
        defaultValue={query.sort ? `${query.isDescending ? '-' : ''}${query.sort.name}` : ''}
      >
        <option value="">{table.order === 'oldest_first' ? 'Oldest first' : 'Newest first'}</option>
        {sortable.flatMap(({ name, label }) => [
          <option key={name} value={name}>
            {label}, ascending
          </option>,
          <option key={`-${name}`} value={`-${name}`}>
            {label}, descending
          </option>,
        ])}
      </select>
    </Field>
  )
}

interface FilterControlProps {
  filter: Filter
  query: ListQuery
  title: string | undefined
  table: Table
}

function FilterControl({ filter, query, title, table }: FilterControlProps) {
  if (filter.kind === 'moment') return <DayFilter filter={filter} query={query} />
  const id = `filter-${filter.name}`
  const value = query.filters.get(filter.name) ?? ''
  if (filter.kind === 'reference') {
    return (
      <Field id={id} label={filter.label}>
        <input
          className="input"
          id={id}
          name={filter.name}
          defaultValue={value}
          placeholder="ID or name"
          data-rows={filter.to}
          autoComplete="off"
        />
        {value === '' ? null : (
          <p className="field-help">
            {title ?? `Matches for “${value}”`} <a href={listAddress(table, query, { without: filter.name })}>Any</a>
          </p>
        )}
      </Field>
    )
  }
  return (
    <Field id={id} label={filter.label}>
      <select className="input" id={id} name={filter.name} defaultValue={value}>
        <option value="">Any</option>
        {(filter.kind === 'boolean' ? yesOrNo : filter.choices).map((choice) => (
          <option key={choice.value} value={choice.value}>
            {choice.label}
          </option>
        ))}
      </select>
    </Field>
  )
}

function DayInput({ name, query, label }: { name: string; query: ListQuery; label: string }) {
  return <input className="input" type="date" name={name} defaultValue={query.filters.get(name)} aria-label={label} />
}

function DayFilter({ filter, query }: { filter: Filter; query: ListQuery }) {
  const [from = '', to = ''] = filterNames(filter)
  return (
    <fieldset className="field days">
      <legend className="label">{filter.label}</legend>
      <div className="row">
        <DayInput name={from} query={query} label={`${filter.label}: from`} />
        <span aria-hidden="true">–</span>
        <DayInput name={to} query={query} label={`${filter.label}: to`} />
      </div>
    </fieldset>
  )
}

function FilterChips({ table, query, filterTitles }: Omit<Props, 'children'>) {
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
