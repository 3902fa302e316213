import { and, eq, gte, sql } from 'drizzle-orm'
import { kept, query, type RowOf } from '../../db/query.ts'
import { setting } from '../../db/schema/index.ts'
import type { Health } from '../contract.ts'

/** Largest database of a Workers Paid account, GB (https://developers.cloudflare.com/d1/platform/limits/). */
const DATABASE_LIMIT_GB = 10
/** The share of the limit at which the dashboard warns. */
const WARNING_SHARE = 0.7
const GIGABYTE = 1_000_000_000

const limitGb = sql<number>`CAST(${setting.value} AS INTEGER)`

/** The setting `database_limit_gb`; no row if it has its default. */
export const findDatabaseLimit = kept(() =>
  query
    .select({ gb: limitGb })
    .from(setting)
    .where(and(eq(setting.name, 'database_limit_gb'), gte(limitGb, 1))),
)

/** @param sizeAfter bytes, from `meta.size_after` of any answer of D1 */
export function databaseOf(
  sizeAfter: number | undefined,
  limits: readonly RowOf<ReturnType<typeof findDatabaseLimit>>[],
): Health['database'] {
  const bytes = sizeAfter ?? null
  const limit_bytes = (limits[0]?.gb ?? DATABASE_LIMIT_GB) * GIGABYTE
  return { bytes, limit_bytes, is_nearly_full: bytes !== null && bytes >= WARNING_SHARE * limit_bytes }
}
