import { env } from 'cloudflare:workers'

/** The app's database, queried in plain SQL. */

export async function rows<Row = Record<string, unknown>>(statement: string, ...values: unknown[]): Promise<Row[]> {
  const answer = await env.DB.prepare(statement)
    .bind(...values)
    .all<Row>()
  return answer.results
}

/** The first row; throws if there is none. */
export async function one<Row>(statement: string, ...values: unknown[]): Promise<Row> {
  const [row] = await rows<Row>(statement, ...values)
  if (!row) throw new Error(`nothing: ${statement}`)
  return row
}

/** The id of an INSERT … RETURNING id. */
export async function inserted(statement: string, ...values: unknown[]): Promise<number> {
  return (await one<{ id: number }>(statement, ...values)).id
}
