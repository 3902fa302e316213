import { eq, sql } from 'drizzle-orm'
import { kept, query } from '../db/query.ts'
import { siteVersion } from '../db/schema/index.ts'

/** What public answers about a `school` (0: all of them) are made of, as one word; no row for a school that is not there. */
export const findSiteVersion = kept(() =>
  query
    .select({ version: siteVersion.version })
    .from(siteVersion)
    .where(eq(siteVersion.schoolId, sql.placeholder('school'))),
)
