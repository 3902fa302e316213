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
