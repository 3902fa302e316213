import { afterAll, beforeAll, expect, test } from 'vitest'
import { type LoadedSubject, loadHarbor, wait } from '../worker/loaded-subject.ts'
import { one, rows } from '../worker/rows.ts'
import { answerInstead } from '../worker/tampered-school.ts'
import { allIsWell, poll } from '../worker/two-schools.ts'
import { world } from '../worker/world.ts'

/** A Banner school with so few sections that one search of the term is cheaper than three, and that one fails. */

let harbor: LoadedSubject
let restore = () => {}
let refused = 0

beforeAll(async () => {
  await world.clearFaults()
  const subjects = await loadHarbor()
  for (const each of subjects) await wait(each)
  harbor = subjects[0]
  await rows('UPDATE school_term SET section_count = 400')
  restore = answerInstead((url) => {
    if (!url.pathname.endsWith('/searchResults') || url.searchParams.has('txt_subject')) return null
    refused++
    return Promise.resolve(new Response('', { status: 500 }))
  })
})
afterAll(async () => {
  restore()
  await allIsWell()
})

const health = () =>
  one<{ failures: number; failing: number; unread: number }>(
    `SELECT failures, (SELECT count(*) FROM section_group WHERE source_id = ?1 AND watch_count > 0 AND failures > 0) AS failing,
       (SELECT count(*) FROM section_group WHERE source_id = ?1 AND watch_count > 0 AND read_at < asked_at) AS unread
     FROM source WHERE id = ?1`,
    harbor.source_id,
  )

test('a search of the term that fails is followed by those of its subjects, and not made in the next round', async () => {
  for (let round = 0; round < 3; round++) {
    await poll(harbor)
    expect(await health()).toEqual({ failures: 0, failing: 0, unread: 0 })
    expect(refused).toBe(1)
  }
})
