import { env } from 'cloudflare:workers'
import { expect, test } from 'vitest'
import * as z from 'zod/mini'
import { pollSource } from '../../src/class-tracker/polling/poll-source.ts'
import { schedulePolls } from '../../src/class-tracker/polling/schedule-polls.ts'
import { RunAgain } from '../../src/jobs/job.ts'
import { ledgerOf } from '../../src/jobs/ledgers.ts'
import { runContext } from '../worker/job-context.ts'
import { loadHarbor, wait } from '../worker/loaded-subject.ts'
import { rows } from '../worker/rows.ts'
import { world } from '../worker/world.ts'

test('rounds that follow each other without a pause, and one that is under way, end when the schedule of polls is switched off', async () => {
  await world.clearFaults()
  const subjects = await loadHarbor()
  await ledgerOf(env, 'polls').pause(null)
  for (const each of subjects) await wait(each)
  const source_id = subjects[0]?.source_id
  async function round(milliseconds = 20_000): Promise<unknown> {
    // The limit is so low for its groups that no request may go unused.
    await rows('UPDATE source SET requests_per_minute = 600, requests_a_round = 2000 WHERE id = ?', source_id)
    await rows('UPDATE section_group SET asked_at = ?', Date.now() - 70_000)
    const input = z.parse(pollSource.input, { source_id, may_walk_term: false })
    return pollSource.run(runContext({ deadline: Date.now() + milliseconds }), input)
  }
  const switchTo = (isOn: boolean) => ledgerOf(env, 'maintenance').setSchedule(schedulePolls.name, isOn, 'ada')
  const next = await round()
  expect(next instanceof RunAgain && next.input).toEqual({ source_id })
  const rest = await round(0)
  expect(rest instanceof RunAgain && rest.input).toMatchObject({ source_id, round_started_at: expect.any(Number) })
  await switchTo(false)
  expect(await round()).toMatchObject({ left: 0 })
  expect(await round(0)).toMatchObject({ left: subjects.length })
  await switchTo(true)
  expect(await round()).toBeInstanceOf(RunAgain)
})
