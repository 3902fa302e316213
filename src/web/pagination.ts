import type { Pagination } from './contract.ts'

/** Page numbers and the page's offset. A page past the end is the last page; an empty list has one page. */
export function paginate(list: { page: number; size: number; total: number }): {
  pagination: Pagination
  offset: number
  limit: number
} {
  const last = Math.max(1, Math.ceil(list.total / list.size))
  const current = Math.min(Math.max(1, list.page), last)
  return {
    pagination: {
      current_page: current,
      total_pages: last,
      has_previous: current > 1,
      has_next: current < last,
      previous_page_number: current > 1 ? current - 1 : 0,
      next_page_number: current < last ? current + 1 : 0,
    },
    offset: (current - 1) * list.size,
    limit: list.size,
  }
}
