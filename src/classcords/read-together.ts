/**
 * Several statements in one round trip and one transaction; the rows of each, in their order. The row types are the caller's
 * word for what its own statements select.
 */
export async function readTogether<Lists extends readonly (readonly unknown[])[]>(
  db: D1Database,
  ...statements: { [Index in keyof Lists]: D1PreparedStatement }
): Promise<Lists> {
  const results = await db.batch([...statements])
  return results.map((result) => result.results) as unknown as Lists
}

/** The offset of a page, or of the last page when it is past the end, where `total` is a subquery: the size is known only inside the statement. */
export const offsetOf = (size: number, page: string, total: string): string =>
  `${size} * (min(${page}, max(1, (${total} + ${size - 1}) / ${size})) - 1)`
