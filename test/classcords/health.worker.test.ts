import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { lookUpCached, lookUpInvite, type Lookup } from '../../src/classcords/discord/look-up-invite.ts'
import { checkInvites, scheduleChecks } from '../../src/classcords/health/check-invites.ts'
import { type CheckedInvite, recordCheck } from '../../src/classcords/health/record-check.ts'
import { approveInvite } from '../../src/classcords/invites/decide-invite.ts'
import { tidyDirectory } from '../../src/classcords/health/tidy-directory.ts'
import { addPerson, emptyDirectory, guilds, makePending, makeServer, type Person } from '../worker/directory.ts'
import { one, rows } from '../worker/rows.ts'
import { runJob, world } from '../worker/world.ts'

const hour = 3600_000
const day = 24 * hour
const start = 1_790_000_000_000

let submitter: Person
let manager: Person

beforeEach(async () => {
  await emptyDirectory()
  await world.clearFaults()
  await rows('DELETE FROM discord_user')
  submitter = await addPerson()
  manager = await addPerson({ role: 'manager' })
})

/** A listed server whose link leads to a server of the local Discord. */
async function listed(guild: { id: string; code: string }, code: string = guild.code) {
  const server = await makeServer({ code, submitter: submitter.discordUserId })
  await rows('UPDATE discord_server SET server_id = ? WHERE id = ?', guild.id, server.id)
  return server
}

const inviteOf = (id: number) =>
  one<{
    is_valid: number
    failures: number
    state: string
    quarantined_at: number | null
    due_at: number
    checked_at: number
  }>('SELECT * FROM invite WHERE id = ?', id)
const checked = (id: number) =>
  one<CheckedInvite>(
    'SELECT i.*, s.server_id AS guild_id FROM invite i JOIN discord_server s ON s.id = i.server_id WHERE i.id = ?',
    id,
  )
const isListed = async (server: number) => (await rows('SELECT 1 FROM listing WHERE server_id = ?', server)).length > 0
const noticesOf = async (person: Person) =>
  (
    await rows<{ title: string }>(
      'SELECT title FROM notice WHERE discord_user_id = ? ORDER BY id',
      person.discordUserId,
    )
  ).map(({ title }) => title)
const dead: Lookup = { kind: 'dead' }

async function fail(id: number, at: number): Promise<string> {
  return recordCheck(env.DB, await checked(id), dead, at)
}

describe('an approved invite', () => {
  it('is unlisted after three failures over a day, with notices to submitter and managers, and can be listed again', async () => {
    const server = await listed(guilds.calculus)
    expect(await fail(server.invite, start)).toBe('failed')
    expect(await fail(server.invite, start + 12 * hour)).toBe('failed')
    expect([await isListed(server.id), await noticesOf(submitter)]).toEqual([true, []])
    expect(await fail(server.invite, start + day)).toBe('dead')
    expect(await inviteOf(server.invite)).toMatchObject({ is_valid: 0, state: 'approved', failures: 3 })
    expect([await isListed(server.id), await noticesOf(submitter), await noticesOf(manager)]).toEqual([
      false,
      ['An invite no longer works'],
      ['An invite no longer works'],
    ])
    expect(await fail(server.invite, start + 2 * day)).toBe('dead')
    expect(await noticesOf(submitter)).toHaveLength(1)
    const lookup = await lookUpInvite(env, guilds.calculus.code)
    expect(await recordCheck(env.DB, await checked(server.invite), lookup, start + 3 * day)).toBe('alive')
    expect(await inviteOf(server.invite)).toMatchObject({ is_valid: 1, failures: 0 })
    expect([await isListed(server.id), (await noticesOf(submitter)).at(-1)]).toEqual([true, 'An invite works again'])
  })

  it('stays listed through many failures within a day', async () => {
    const server = await listed(guilds.calculus)
    for (let n = 0; n < 20; n += 1) expect(await fail(server.invite, start + n * hour)).toBe('failed')
    expect(await isListed(server.id)).toBe(true)
    const lookup = await lookUpInvite(env, guilds.calculus.code)
    await recordCheck(env.DB, await checked(server.invite), lookup, start + 20 * hour)
    expect(await fail(server.invite, start + 25 * hour)).toBe('failed')
  })

  it('that leads to another server is quarantined at once, with one notice', async () => {
    const server = await makeServer({ code: guilds.calculus.code, submitter: submitter.discordUserId })
    const lookup = await lookUpInvite(env, guilds.calculus.code)
    for (const at of [start, start + day])
      expect(await recordCheck(env.DB, await checked(server.invite), lookup, at)).toBe('quarantined')
    expect(await inviteOf(server.invite)).toMatchObject({ is_valid: 0, quarantined_at: start })
    expect([await isListed(server.id), await noticesOf(manager)]).toEqual([
      false,
      ['An invite now points to a different server'],
    ])
    expect(await one('SELECT name FROM discord_server WHERE id = ?', server.id)).not.toEqual({
      name: guilds.calculus.name,
    })
  })

  it('that is pending, led to another server and then died leaves the queue', async () => {
    const pending = await makePending({ code: guilds.calculus.code, submitter: submitter.discordUserId })
    const elsewhere = await lookUpInvite(env, guilds.commons.code)
    expect(await recordCheck(env.DB, await checked(pending.id), elsewhere, start)).toBe('quarantined')
    await fail(pending.id, start + hour)
    await fail(pending.id, start + 13 * hour)
    expect(await fail(pending.id, start + 26 * hour)).toBe('expired')
    expect(await inviteOf(pending.id)).toMatchObject({ state: 'expired' })
    expect(await noticesOf(submitter)).toContain('Your pending invite has expired')
  })

  it('updates name, picture and counts, even if they fall', async () => {
    const server = await listed(guilds.calculus)
    await rows('UPDATE discord_server SET member_count = 999999, name = ? WHERE id = ?', 'Old name', server.id)
    await runJob(checkInvites, {})
    expect(
      await one<{ member_count: number }>('SELECT member_count FROM discord_server WHERE id = ?', server.id),
    ).toEqual({
      member_count: 999_999,
    })
    await rows('UPDATE invite SET due_at = 0')
    await runJob(checkInvites, {})
    const after = await one<{
      name: string
      icon: string
      member_count: number
      online_count: number
      online_counted_at: number
    }>('SELECT * FROM discord_server WHERE id = ?', server.id)
    expect(after).toMatchObject({ name: guilds.calculus.name, icon: expect.stringMatching(/^[0-9a-f]+$/) })
    expect(after.member_count).toBeLessThan(2000)
    expect(after.online_count).toBeGreaterThan(0)
    expect(after.online_counted_at).toBeGreaterThan(Date.now() - 60_000)
    expect(await rows("SELECT 1 FROM server_word WHERE word = 'calculus' AND server_id = ?", server.id)).toHaveLength(1)
  })
})

describe('a pending invite', () => {
  it('leaves the queue as expired, and may be submitted again', async () => {
    const { id, code } = await makePending({ submitter: submitter.discordUserId })
    for (const at of [0, 12, 24]) await fail(id, start + at * hour)
    expect(await inviteOf(id)).toMatchObject({ state: 'expired', is_valid: 0 })
    expect([await noticesOf(submitter), await noticesOf(manager)]).toEqual([['Your pending invite has expired'], []])
    await makePending({ code })
  })

  it('is checked soon after it is approved, because it may have died while it waited', async () => {
    const { id } = await makePending({ submitter: submitter.discordUserId })
    const audit = { userId: manager.id, who: manager.name, ipAddress: null, country: null }
    const by = { role: 'manager', discordUserId: manager.discordUserId, audit } as const
    await approveInvite(env.DB, by, id, { now: Date.now() })
    await runJob(checkInvites, {})
    expect(await inviteOf(id)).toMatchObject({ state: 'approved', failures: 1 })
  })

  it('that is approved during its last check stays approved until the next one', async () => {
    const { id } = await makePending({ submitter: submitter.discordUserId })
    for (const at of [0, 12]) await fail(id, start + at * hour)
    const before = await checked(id)
    await rows("UPDATE invite SET state = 'approved' WHERE id = ?", id)
    await recordCheck(env.DB, before, dead, start + day)
    expect([await inviteOf(id), await noticesOf(submitter)]).toMatchObject([{ state: 'approved', is_valid: 1 }, []])
  })
})

describe('two simultaneous checks', () => {
  it('count once', async () => {
    const server = await listed(guilds.calculus)
    const before = await checked(server.invite)
    await Promise.all([recordCheck(env.DB, before, dead, start), recordCheck(env.DB, before, dead, start + 1)])
    expect(await inviteOf(server.invite)).toMatchObject({ failures: 1 })
  })
})

describe('the job', () => {
  it('checks only due invites, in order', async () => {
    const [one_, two, three] = [
      await listed(guilds.calculus),
      await listed(guilds.algebra),
      await listed(guilds.commons),
    ]
    await rows('UPDATE invite SET due_at = 5 WHERE id IN (?, ?)', one_.invite, two.invite)
    await scheduleChecks.plan(env, 15 * 60_000)
    const { result } = await runJob(checkInvites, {})
    const checkedAt = async (id: number) => (await inviteOf(id)).checked_at
    expect([await checkedAt(one_.invite), await checkedAt(two.invite), await checkedAt(three.invite)]).toEqual([
      expect.any(Number),
      expect.any(Number),
      null,
    ])
    expect((await inviteOf(one_.invite)).due_at).toBeGreaterThan(Date.now() + 23 * hour)
    expect(result).toBeDefined()
  })

  it.each(['http_500', 'reset', 'empty', 'maintenance_html', 'truncated'])(
    'changes nothing while Discord is failing (%s)',
    async (mode) => {
      const server = await listed(guilds.calculus)
      await rows('UPDATE invite SET due_at = 5')
      await world.fault('discord', mode)
      const { state } = await runJob(checkInvites, {})
      expect(state).toBe('finished')
      expect(await inviteOf(server.invite)).toMatchObject({ is_valid: 1, failures: 0 })
      expect(await isListed(server.id)).toBe(true)
    },
  )

  it('deletes old uses and updates search words', async () => {
    const server = await listed(guilds.calculus)
    await rows(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5001)
      INSERT INTO invite_use (invite_id, visitor, used_at) SELECT ?, i, 5 FROM n`,
      server.invite,
    )
    await rows("UPDATE discord_server SET custom_title = 'Zebra' WHERE id = ?", server.id)
    await runJob(tidyDirectory, {})
    expect(await rows('SELECT 1 FROM invite_use')).toEqual([])
    expect(await rows("SELECT 1 FROM server_word WHERE word = 'zebra'")).toHaveLength(1)
  })
})

describe('asking Discord', () => {
  const calls = async () => (await world.requests()).filter(({ path }) => path.includes('/invites/')).length

  it('costs one call for a popular code', async () => {
    const before = await calls()
    for (let n = 0; n < 5; n += 1)
      expect(await lookUpCached(env, guilds.calculus.code, start + n)).toMatchObject({ kind: 'guild' })
    expect((await calls()) - before).toBe(1)
    await lookUpCached(env, guilds.calculus.code, start + 6 * 60_000)
    expect((await calls()) - before).toBe(2)
  })

  it('is retried after a temporary fault', async () => {
    // The connection that was reset may be tried once more before the runtime notices that it is closed.
    for (const [mode, times] of [
      ['http_500', 2],
      ['reset', 1],
    ] as const) {
      await world.fault('discord', mode, times)
      expect(await lookUpInvite(env, guilds.calculus.code)).toMatchObject({ kind: 'guild' })
    }
  })

  it('does not cache an unsure answer', async () => {
    await world.fault('discord', 'empty', 1)
    expect(await lookUpCached(env, guilds.algebra.code, start)).toMatchObject({ kind: 'unsure' })
    expect(await lookUpCached(env, guilds.algebra.code, start)).toMatchObject({ kind: 'guild' })
  })

  const answering = (...answers: (() => Response | Promise<Response>)[]) => {
    const waits: number[] = []
    let asked = 0
    const tools = {
      fetch: async () => {
        asked += 1
        const answer = answers[Math.min(asked, answers.length) - 1]
        if (!answer) throw new Error('no answer')
        return answer()
      },
      wait: async (ms: number) => void waits.push(ms),
      timeoutMs: 50,
    }
    return { tools, waits, asked: () => asked }
  }
  const limited = (seconds: number) => () => Response.json({ retry_after: seconds }, { status: 429 })
  const found = () => Response.json({ code: 'x', guild: { id: '1', name: 'A' } })

  it('waits as long as a 429 asks, if that is short', async () => {
    const { tools, waits } = answering(limited(0.35), found)
    expect(await lookUpInvite(env, 'x', tools)).toMatchObject({ kind: 'guild' })
    expect(waits).toEqual([350])
  })

  it('leaves a long wait to the caller', async () => {
    const { tools, waits, asked } = answering(limited(30))
    expect(await lookUpInvite(env, 'x', tools)).toMatchObject({ kind: 'unsure', retry_after_ms: 30_000 })
    expect([waits, asked()]).toEqual([[], 1])
  })

  it('believes no pause of more than an hour', async () => {
    const { tools } = answering(limited(1e9))
    expect(await lookUpInvite(env, 'x', tools)).toMatchObject({ kind: 'unsure', retry_after_ms: hour })
  })

  it('gives up on a call that never ends and does not repeat it', async () => {
    const { tools, asked } = answering(() => new Promise<Response>(() => undefined))
    const hanging = {
      ...tools,
      fetch: (_url: RequestInfo | URL, init?: RequestInit) =>
        new Promise<Response>((_resolve, reject) => {
          void tools.fetch()
          init?.signal?.addEventListener('abort', () => reject(new Error('aborted')))
        }),
    }
    expect(await lookUpInvite(env, 'x', hanging)).toMatchObject({ kind: 'unsure', timed_out: true })
    expect(asked()).toBe(1)
  })

  it('does not repeat a call that failed slowly, because a person or a short job waits for it', async () => {
    let at = Date.now()
    const clock = vi.spyOn(Date, 'now').mockImplementation(() => at)
    const { tools, asked } = answering(() => {
      at += 4900
      return new Response('', { status: 502 })
    })
    expect(await lookUpInvite(env, 'x', tools)).toMatchObject({ kind: 'unsure', reason: 'status 502' })
    clock.mockRestore()
    expect(asked()).toBe(1)
  })

  it("believes only Discord's own 404", async () => {
    const proxy = answering(() => new Response('not here', { status: 404 }))
    expect(await lookUpInvite(env, 'x', proxy.tools)).toMatchObject({ kind: 'unsure' })
    const discord = answering(() => Response.json({ message: 'Unknown Invite', code: 10006 }, { status: 404 }))
    expect(await lookUpInvite(env, 'x', discord.tools)).toEqual({ kind: 'dead' })
  })
})
