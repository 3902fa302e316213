import type { JobListProps } from '../../../src/scheduler/contract.ts'
import { LinkButton } from '../../components/button.tsx'
import { Pagination } from '../../components/pagination.tsx'
import { searchText } from './addresses.ts'

/** Further pages by number where the total is known, else from where the search stopped. */
export function ListPages({ props }: { props: JobListProps }) {
  const { search, pagination, next_cursor: cursor } = props
  if (pagination !== null) {
    return <Pagination pagination={pagination} hrefOf={(page) => searchText(search, { page }) || '?page=1'} />
  }
  if (cursor === null) return null
  return (
    <nav className="pagination" aria-label="Pages">
      {props.is_partial ? <span className="small muted">Only the newest jobs are searched so far.</span> : null}
      <LinkButton href={searchText(search, { cursor })} rel="next">
        {props.is_partial ? 'Search further' : 'Older'}
      </LinkButton>
    </nav>
  )
}
