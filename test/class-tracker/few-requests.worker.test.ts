import { env } from 'cloudflare:workers'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import * as z from 'zod/mini'
import { pollSource } from '../../src/class-tracker/polling/poll-source.ts'
import { RunAgain } from '../../src/jobs/job.ts'
import { ledgerOf } from '../../src/jobs/ledgers.ts'
import { hostOf } from '../../src/sources/address.ts'
import { limitOf } from '../../src/web/limits/limits.ts'
import { makeGroup, makeRecipient, makeSection, makeWatch } from '../worker/catalog.ts'
import { runContext } from '../worker/job-context.ts'
import { type LoadedSubject, loadHarbor, wait } from '../worker/loaded-subject.ts'
import { one, rows } from '../worker/rows.ts'
import { answerInstead } from '../worker/tampered-school.ts'
import { world } from '../worker/world.ts'

/** Schools that may be asked only a few times a minute. Banner takes two requests for a group. */

let source: { id: number; url: string }

beforeAll(async () => {
  await world.clearFaults()
  const subjects: readonly LoadedSubject[] = await loadHarbor()
  await ledgerOf(env, 'polls').pause(null)
  for (const each of subjects) await wait(each)
  source = await one('SELECT id, url FROM source WHERE id = ?', subjects[0]?.source_id)
})

beforeEach(async () => {
  const before = Date.now() - 70_000
  await rows('UPDATE section_group SET asked_at = ?1, read_at = ?1, failures = 0, last_error = NULL', before)
  await (await limitOf(env, 'source', hostOf(source.url))).clear()
})

/** One run of a poll. @returns the next run's input and when it is due; null if there is none */
async function poll(requestsPerMinute: number, input: object = {}) {
  await rows('UPDATE source SET requests_per_minute = ? WHERE id = ?', requestsPerMinute, source.id)
  const context = runContext({ deadline: Date.now() + 20_000 })
  const result = await pollSource.run(context, z.parse(pollSource.input, { source_id: source.id, ...input }))
  return result instanceof RunAgain ? { at: result.at, input: result.input as Record<string, unknown> } : null
}

test('a run reads at least one group, although its requests cannot all wait for their turns', async () => {
  await rows('UPDATE source SET requests_a_round = 8 WHERE id = ?', source.id)
  const next = await poll(4, { may_walk_term: false })
  expect(next?.input).toMatchObject({ believed: 1, tries_in_vain: 0 })
  // The other groups wait for turns.
  expect((next?.at ?? 0) - Date.now()).toBeGreaterThan(15_000)
})

test('a group does not fail because other jobs used most of the budget in two minutes', async () => {
  await rows('UPDATE source SET requests_a_round = NULL WHERE id = ?', source.id)
  const limit = await limitOf(env, 'source', hostOf(source.url))
  const othersAsk = async () => {
    await limit.clear()
    for (let sent = 0; sent < 3; sent += 1) await limit.take({ limit: 4, window_ms: 61_000, id: `refresh ${sent}` })
  }
  await othersAsk()
  // Runs that made progress before are no tries in vain.
  const first = await poll(4, { may_walk_term: false, cut_off_runs: 3 })
  expect(first?.input).toMatchObject({ tries_in_vain: 1 })
  await othersAsk()
  const next = await poll(4, first?.input)
  expect(next?.input).toMatchObject({ tries_in_vain: 2 })
  expect(await rows('SELECT 1 FROM section_group WHERE failures > 0')).toEqual([])
  // Then it makes room for the others.
  await othersAsk()
  const others = await poll(4, next?.input)
  expect(await rows('SELECT last_error FROM section_group WHERE failures > 0')).toEqual([
    {
      last_error:
        'This needs more requests than were left for it in several tries. Other jobs at the same school may be using them.',
    },
  ])
  // The next one has more than one try, too.
  await othersAsk()
  await poll(4, others?.input)
  expect(await rows('SELECT 1 FROM section_group WHERE failures > 0')).toHaveLength(1)
})

test('a source with a small share of its host tries again once it has the whole share', async () => {
  // Only addresses with https share a host.
  const url = 'https://school.example.edu/ssb'
  await rows('UPDATE source SET requests_a_round = NULL, url = ? WHERE id = ?', url, source.id)
  for (let neighbor = 0; neighbor < 9; neighbor += 1) {
    const group = await makeGroup({ url: `${url}/${neighbor}` })
    await rows('UPDATE source SET requests_per_minute = 10 WHERE id = ?', group.source_id)
    await makeWatch(await makeRecipient(), await makeSection(group, '10001'))
  }
  const restore = answerInstead(({ protocol }) =>
    protocol === 'https:' ? Promise.resolve(Response.json({ fwdURL: '/ssb' })) : null,
  )
  const ownShare = await limitOf(env, 'source-share', String(source.id))
  for (let sent = 0; sent < 3; sent += 1) await ownShare.take({ limit: 4, window_ms: 244_000, id: `earlier ${sent}` })
  const first = await poll(10, { may_walk_term: false })
  restore()
  expect(first?.input).toMatchObject({ tries_in_vain: 1 })
  expect((first?.at ?? 0) - Date.now()).toBeGreaterThan(200_000)
  await rows('UPDATE source SET is_enabled = 0 WHERE id <> ?', source.id)
  await rows('UPDATE source SET url = ? WHERE id = ?', source.url, source.id)
})

test('a group that needs more than the limit fails after two tries, so that the others are read', async () => {
  await rows('UPDATE source SET requests_a_round = NULL WHERE id = ?', source.id)
  const first = await poll(1, { may_walk_term: false })
  expect(first?.input).toMatchObject({ believed: 0, tries_in_vain: 1 })
  expect((first?.at ?? 0) - Date.now()).toBeGreaterThan(50_000)
  // Nothing can be sent yet, which is no try.
  const early = await poll(1, first?.input)
  expect(early?.input).toMatchObject({ tries_in_vain: 1 })
  expect(await rows('SELECT 1 FROM section_group WHERE failures > 0')).toEqual([])
  await (await limitOf(env, 'source', hostOf(source.url))).clear()
  const next = await poll(1, early?.input)
  expect(next?.input).toMatchObject({ believed: 0 })
  expect(await rows('SELECT last_error FROM section_group WHERE failures > 0')).toEqual([
    { last_error: 'Reading this needs more than the limit of 1 request a minute.' },
  ])
})
