/**
 * A statement for a batch that undoes all of it unless the condition holds at that moment: what was read before cannot be
 * outrun. The sentence comes back in the error, see {@link insistedSentence}.
 * @param condition SQL; a value other than 0 and NULL lets the batch go on
 */
export function insist(
  db: D1Database,
  condition: string,
  values: readonly unknown[],
  sentence: string,
): D1PreparedStatement {
  // A path that does not begin with $ is an error, and SQLite quotes it (https://sqlite.org/json1.html#jpath).
  return db
    .prepare(`SELECT CASE WHEN (${condition}) THEN 1 ELSE json_extract('{}', ?) END`)
    .bind(...values, sentence.replaceAll("'", '’'))
}

/** The sentence of the {@link insist} that undid a batch; null for any other error. */
export function insistedSentence(error: unknown): string | null {
  return error instanceof Error ? (/bad JSON path: '([^']*)'/.exec(error.message)?.[1] ?? null) : null
}
