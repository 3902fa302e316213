import type { Pagination } from './contract.ts'

/** A page past the end is the last page; an empty list has one page. */
export function paginate({ page, size, total }: { page: number; size: number; total: number }): Pagination {
  const last = Math.max(1, Math.ceil(total / size))
  const current = Math.min(Math.max(1, page), last)
  return {
    current_page: current,
    total_pages: last,
    has_previous: current > 1,
    has_next: current < last,
    previous_page_number: current > 1 ? current - 1 : 0,
    next_page_number: current < last ? current + 1 : 0,
  }
}

/** The query of a page of a list; the first one needs none. */
export const pageQuery = (page: number) => (page > 1 ? `?page=${page}` : '')
