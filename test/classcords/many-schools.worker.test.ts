import { env } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import { sitemap } from '../../src/classcords/servers/sitemap.ts'
import { emptyDirectory, makeSchool, makeServer } from '../worker/directory.ts'
import { rows } from '../worker/rows.ts'

it('the sitemap has every school with public servers, however many there are', async () => {
  await emptyDirectory()
  const { source_id, school_id } = await makeSchool()
  const { id: server } = await makeServer({ schools: [school_id] })
  const hidden = await makeServer({ privacy: 'private' })
  await rows(
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1100)
     INSERT INTO school (source_id, code, name) SELECT ?, 'many' || i, 'Many ' || i FROM n`,
    source_id,
  )
  const schools = await rows<{ id: number }>("SELECT id FROM school WHERE code LIKE 'many%' ORDER BY id")
  const [closed, ...open] = schools
  await rows(
    "INSERT INTO server_school (server_id, school_id) SELECT iif(id = ?, ?, ?), id FROM school WHERE code LIKE 'many%'",
    closed?.id,
    hidden.id,
    server,
  )
  const found = [...(await sitemap(env.DB, '', null)).matchAll(/\/classcords\/school\/(\d+)\//g)].map(([, id]) =>
    Number(id),
  )
  expect(found).toEqual([school_id, ...open.map(({ id }) => id)])
})
