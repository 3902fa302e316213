import { env } from 'cloudflare:workers'
import { expect, test } from 'vitest'
import { listRecipients } from '../../src/class-tracker/recipients/list-recipients.ts'
import { makeGroup, makeSection } from '../worker/catalog.ts'
import { countedReads } from '../worker/counted-reads.ts'
import { rows } from '../worker/rows.ts'

test('a search or a filter reads each person and each watched section once, however many people watch it', async () => {
  const people = 500
  const group = await makeGroup({ read_at: Date.now() })
  for (let number = 0; number < 10; number += 1) await makeSection(group, `8000${number}`, 'closed')
  await rows(
    `INSERT INTO recipient (name, created_at)
     WITH RECURSIVE n(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM n WHERE value < ?) SELECT 'Person ' || value, 0 FROM n`,
    people,
  )
  await rows(
    `INSERT INTO watch (recipient_id, section_id, created_at)
     SELECT recipient.id, section.id, 0 FROM recipient, section WHERE recipient.name LIKE 'Person %' AND section_key LIKE '8000_'`,
  )
  const unsearched = await readBy({})
  const more = ({ rows: read }: { rows: number }) => read - unsearched.rows
  const byName = await readBy({ search: `person ${people}` })
  const byNumber = await readBy({ search: '80003' })
  const byStatus = await readBy({ status: 'closed' })
  const pages = people / 25
  expect([unsearched.pages, byName.pages, byNumber.pages, byStatus.pages]).toEqual([pages, 1, pages, pages])
  expect(more(byName)).toBeLessThan(people * 3)
  expect(more(byNumber)).toBeLessThan(people * 9)
  expect(more(byStatus)).toBeLessThan(people * 16)
})

async function readBy({ search = '', status = null }: { search?: string; status?: 'closed' | null }) {
  const { db, reads } = countedReads()
  const filters = { status, school_id: null, term_id: null }
  const { pagination } = await listRecipients({ ...env, DB: db }, { page: 1, search, filters }, Date.now())
  return { rows: reads.rows, pages: pagination.total_pages }
}
