/** The offset of a page, or of the last page when it is past the end, where `total` is a subquery: the size is known only inside the statement. */
export const offsetOf = (size: number, page: string, total: string): string =>
  `${size} * (min(${page}, max(1, (${total} + ${size - 1}) / ${size})) - 1)`
