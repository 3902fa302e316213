import { sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'
import {
  constant,
  type Database,
  parameter,
  prepared,
  readFirst,
  readTogether,
  template,
  selectValues,
} from '../../db/query.ts'
import { listing, listingCount, listingMark } from '../../db/schema/index.ts'
import { countListed } from './search-plan.ts'
import { publicOf } from './visibility.ts'

/** How many servers are in one file: as many as from one row of {@link listingMark} to the next. */
const FILE_SIZE = 1000

const l = alias(listing, 'l')
const m = alias(listingMark, 'm')

const countServers = prepared(() => selectValues({ servers: countListed(publicOf(0)) }))

const lastFile = sql`coalesce((SELECT max(${listingMark.number}) FROM ${listingMark}
  WHERE ${listingMark.schoolId} = 0 AND ${listingMark.withPrivate} = 0), 0)`

/** The number of a file, from 0; past the end, of the last one. */
const fileNumber = sql`min(${parameter('number')}, ${lastFile})`

/** The public servers of a file. The `+` removes the columns' affinity from the comparison. */
const findServers = prepared(() =>
  template(
    { id: l.serverId, file: m.number },
    (columns) => sql`SELECT ${columns} FROM ${listingMark} ${m}
      CROSS JOIN ${listing} ${l} ON ${l.schoolId} = 0 AND NOT ${l.isPrivate}
        AND (${l.rank}, ${l.sortKey}, ${l.serverId}) >= (+${m.rank}, +${m.sortKey}, +${m.serverId})
      WHERE ${m.schoolId} = 0 AND ${m.withPrivate} = 0 AND ${m.number} = ${fileNumber}
      ORDER BY ${l.rank}, ${l.sortKey}, ${l.serverId} LIMIT ${constant(FILE_SIZE)}`,
  ),
)

/** A file may have 50 000 addresses. */
const MAX_SCHOOLS = 40_000

/** Schools with public servers, all in the first file. */
const findSchools = prepared(() =>
  template(
    { id: listingCount.schoolId },
    (columns) => sql`SELECT ${columns} FROM ${listingCount}
      WHERE ${fileNumber} = 0 AND ${listingCount.schoolId} > 0 AND NOT ${listingCount.isPrivate} AND ${listingCount.servers} > 0
      ORDER BY ${listingCount.schoolId} LIMIT ${constant(MAX_SCHOOLS)}`,
  ),
)

/**
 * Every page that search engines may read (https://www.sitemaps.org/protocol.html): public servers, their schools, and
 * the pages before them. A large directory is several files, and the first is a list of them.
 * @param file which one, from 1; past the end: the last; null: the first
 */
export async function sitemap(db: Database, origin: string, file: number | null): Promise<string> {
  if (file === null) {
    const files = Math.ceil(((await readFirst(db, countServers()))?.servers ?? 0) / FILE_SIZE)
    if (files > 1) return listOf('sitemapindex', 'sitemap', numbered(origin, files))
  }
  const number = (file ?? 1) - 1
  const [servers, schools] = await readTogether(db, findServers({ number }), findSchools({ number }))
  const isFirst = (servers[0]?.file ?? 0) === 0
  const paths = [
    ...(isFirst ? ['/', '/classcords/', '/classcords/all/'] : []),
    ...schools.map(({ id }) => `/classcords/school/${id}/`),
    ...servers.map(({ id }) => `/classcords/server/${id}/`),
  ]
  return listOf(
    'urlset',
    'url',
    paths.map((path) => origin + path),
  )
}

const numbered = (origin: string, files: number) =>
  Array.from({ length: files }, (_unused, index) => `${origin}/sitemap.xml?page=${index + 1}`)

function listOf(root: string, item: string, addresses: readonly string[]): string {
  const lines = addresses.map((address) => `<${item}><loc>${address}</loc></${item}>`)
  return `<?xml version="1.0" encoding="UTF-8"?>
<${root} xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
${lines.join('\n')}
</${root}>
`
}
