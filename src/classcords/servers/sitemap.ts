import { sql } from 'drizzle-orm'
import { type Database, kept, readTogether, template } from '../../db/query.ts'
import { listing, school } from '../../db/schema/index.ts'

/** Of the 50 000 a file may have (https://www.sitemaps.org/protocol.html). */
const MAX_SERVERS = 40_000
const MAX_SCHOOLS = 5000

const findServers = kept(() =>
  template(
    { id: listing.serverId },
    (columns) => sql`SELECT ${columns} FROM ${listing}
      WHERE ${listing.schoolId} = 0 AND NOT ${listing.isPrivate} LIMIT ${sql.raw(String(MAX_SERVERS))}`,
  ),
)

/** Schools with a public server. */
const findSchools = kept(() =>
  template(
    { id: school.id },
    (columns) => sql`SELECT ${columns} FROM ${school}
      WHERE EXISTS (SELECT 1 FROM ${listing} WHERE ${listing.schoolId} = ${school.id} AND NOT ${listing.isPrivate})
      ORDER BY ${school.id} LIMIT ${sql.raw(String(MAX_SCHOOLS))}`,
  ),
)

/** Every page that search engines may read, as XML: public servers, their schools, and the pages before them. */
export async function sitemap(db: Database, origin: string): Promise<string> {
  const [servers, schools] = await readTogether(db, findServers(), findSchools())
  const paths = [
    '/',
    '/classcords/',
    '/classcords/all/',
    ...schools.map(({ id }) => `/classcords/school/${id}/`),
    ...servers.map(({ id }) => `/classcords/server/${id}/`),
  ]
  const urls = paths.map((path) => `<url><loc>${origin}${path}</loc></url>`)
  return `<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
${urls.join('\n')}
</urlset>
`
}
