import { Button, LinkButton } from '../../../client/components/button.tsx'
import { EmptyState } from '../../../client/components/empty-state.tsx'
import { PostForm } from '../../../client/components/post-form.tsx'
import type { PageContext } from '../../web/contract.ts'
import { isBackwards, isNarrowed, type ListQuery, listAddress } from '../list/list-query.ts'
import type { List } from '../list/read-list.ts'
import type { Table } from '../table.ts'
import { actPath, addPath, inSentence, listPath, withArticle } from '../table-parts.ts'
import { countText } from '../../../client/components/count-text.ts'
import { ListFilters } from './filters.tsx'
import { Head } from './head.tsx'
import { ListRows } from './list-rows.tsx'

interface Props {
  context: PageContext
  table: Table
  query: ListQuery
  list: List
  /** ms since epoch */
  now: number
}

export function ListPage({ context, table, query, list, now }: Props) {
  const hasActions = listActions(table).length > 0
  return (
    <div className="stack admin">
      <Head
        crumbs={[]}
        title={table.heading ?? table.labels}
        count={isNarrowed(query) ? undefined : countOf(list)}
        about={table.about}
      >
        <LinkButton href={listAddress(table, query, { path: 'export.csv' })}>Export CSV</LinkButton>
        {table.addsElsewhere && <LinkButton href={table.addsElsewhere.href}>{table.addsElsewhere.text}</LinkButton>}
        {!table.mayAdd ? null : (
          <LinkButton kind="primary" icon="plus" href={addPath(table)}>
            Add {inSentence(table.label)}
          </LinkButton>
        )}
      </Head>
      <ListFilters table={table} query={query} filterTitles={list.filterTitles}>
        {isNarrowed(query) ? <span className="small muted numbers push">{listedText(table, list)}</span> : null}
      </ListFilters>
      {list.rows.length === 0 ? (
        <Nothing table={table} query={query} list={list} />
      ) : (
        <PostForm context={context} action={actPath(table)} className="stack">
          <input type="hidden" name="back" value={listAddress(table, query)} />
          <div className="card">
            <ListRows
              table={table}
              query={query}
              rows={list.rows}
              now={now}
              timeZone={context.time_zone}
              isChosen={hasActions}
            />
          </div>
          {hasActions ? <Bar table={table} /> : null}
        </PostForm>
      )}
      <Pages table={table} query={query} list={list} />
    </div>
  )
}

function listActions(table: Table) {
  const actions = table.actions.filter(({ on }) => on !== 'row')
  const remove = { name: 'delete', label: table.deleteLabel, isDangerous: true }
  return !table.mayDelete ? actions : [...actions, remove]
}

/** Stays visible while rows are selected. */
function Bar({ table }: { table: Table }) {
  return (
    <div className="row bulk-bar card" role="group" aria-label="With selected">
      <span className="small strong chosen-count">selected</span>
      {listActions(table).map(({ name, label, isDangerous }) => (
        <Button key={name} type="submit" name="act" value={name} kind={isDangerous ? 'danger' : 'plain'}>
          {label}
        </Button>
      ))}
    </div>
  )
}

function Pages({ table, query, list }: Omit<Props, 'context' | 'now'>) {
  if (!list.previous && !list.next) return null
  return (
    <nav className="pagination" aria-label="Pages">
      {query.cursor ? null : <span className="small muted numbers">Rows 1–{list.rows.length}</span>}
      {query.cursor ? <LinkButton href={listAddress(table, query)}>First</LinkButton> : null}
      {list.previous ? (
        <LinkButton href={listAddress(table, query, { cursor: list.previous })} rel="prev">
          Previous
        </LinkButton>
      ) : null}
      {list.next ? (
        <LinkButton href={listAddress(table, query, { cursor: list.next })} rel="next">
          {list.isUnfinished && !isBackwards(query) ? 'Keep searching' : 'Next'}
        </LinkButton>
      ) : null}
    </nav>
  )
}

/** "7,509", "10,000+" */
const countOf = ({ count }: Pick<List, 'count'>): string => `${countText(count.matched)}${count.isMore ? '+' : ''}`

function listedText(table: Table, { count, isUnfinished }: List): string {
  const name = inSentence(count.matched === 1 && !count.isMore ? table.label : table.labels)
  const among = count.scanned === null ? '' : ` among the first ${countText(count.scanned)} searched`
  return `${countOf({ count })} ${name}${among}${isUnfinished ? '. There are more rows to search.' : ''}`
}

function Nothing({ table, query, list }: Omit<Props, 'context' | 'now'>) {
  const names = inSentence(table.labels)
  return (
    <div className="card">
      {list.isUnfinished ? (
        <EmptyState title="Nothing found so far">
          <p>None of the rows searched so far match. Use the button below to keep searching.</p>
        </EmptyState>
      ) : isNarrowed(query) ? (
        <EmptyState title="No matches">
          <LinkButton href={listPath(table)}>Show all {names}</LinkButton>
        </EmptyState>
      ) : (
        <EmptyState title={`No ${names}`}>
          {table.mayAdd ? (
            <LinkButton href={addPath(table)}>Add {withArticle(table.label)}</LinkButton>
          ) : (
            <p>They appear here automatically.</p>
          )}
        </EmptyState>
      )}
    </div>
  )
}
