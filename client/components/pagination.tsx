import type { Pagination as PaginationProps } from '../../src/web/contract.ts'
import { LinkButton } from './button.tsx'

interface Props {
  pagination: PaginationProps
  hrefOf: (page: number) => string
  /** Called instead of following the link, if given. */
  onPage?: (page: number) => void
}

/** Links to the adjacent pages, only if there is more than one page. */
export function Pagination({ pagination, hrefOf, onPage }: Props) {
  if (pagination.total_pages <= 1) return null
  const link = (page: number, label: string, rel: string) => (
    <LinkButton
      href={hrefOf(page)}
      rel={rel}
      onClick={
        onPage &&
        ((event) => {
          if (event.metaKey || event.ctrlKey || event.shiftKey) return
          event.preventDefault()
          onPage(page)
        })
      }
    >
      {label}
    </LinkButton>
  )
  return (
    <nav className="pagination" aria-label="Pages">
      {pagination.has_previous && link(pagination.previous_page_number, 'Previous', 'prev')}
      <span className="small muted numbers">
        Page {pagination.current_page} of {pagination.total_pages}
      </span>
      {pagination.has_next && link(pagination.next_page_number, 'Next', 'next')}
    </nav>
  )
}
