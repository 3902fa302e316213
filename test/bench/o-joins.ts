import { randomFrom, type Random } from '../world/random.ts'
import { GUILDS, type Guild } from '../world/discord/guilds.ts'
import { FRESH_MS, MAX_REQUESTS } from '../../src/classcords/join/shared-checks.ts'
import { startApp, type BenchApp } from './app/start-app.ts'
import { percentile, type Figure, type Part } from './report.ts'

const CLICKS = 10_000
const spanMs = 200_000
const windowMs = 10_000
/** Above this it refuses. */
const discordCallsPer10s = 50
/** How long Discord takes to answer. */
const discordMs = 150
/** The share of servers whose invite is revoked at some time. */
const MORTAL = 0.7

interface Target {
  invite: number
  guild: Guild
  /** When its invite is revoked; Infinity: never. */
  diesAt: number
}

interface Click {
  target: Target
  startedAt: number
  endedAt: number
  status: number
}

/** Real clicks on Join over HTTP, while invites are revoked at random. */
export async function measureJoins(): Promise<Part> {
  const app = await startApp({ slowMs: discordMs, discordCallsPer10s })
  try {
    app.world.world.faults.set({ service: 'discord', mode: 'slow', times: null })
    const random = randomFrom('joins')
    const startAt = Date.now() + 1000
    const targets = await addServers(app, random, startAt)
    const clicks = await Promise.all(
      Array.from({ length: CLICKS }, async (_, number) => {
        // Some servers are far more popular than others.
        const target = targets[Math.floor(random.next() ** 2 * targets.length)]
        if (target === undefined) throw new Error('There is no such server.')
        await until(startAt + (number / CLICKS) * spanMs)
        return click(app, target)
      }),
    )
    return reportOf(app, clicks)
  } finally {
    await app.close()
  }
}

const until = (moment: number) => new Promise((resolve) => setTimeout(resolve, Math.max(0, moment - Date.now())))

/** A listed server for each guild of the stand-in Discord, whose invite expires at a set time. */
async function addServers(app: BenchApp, random: Random, startAt: number): Promise<Target[]> {
  const rows = JSON.stringify(GUILDS.map(({ id, name, code }) => ({ id, name, code })))
  await app.db.batch([
    app.db
      .prepare(
        `INSERT INTO discord_server (server_id, name, privacy_level, created_at)
         SELECT value ->> 'id', value ->> 'name', 'public', 0 FROM json_each(?)`,
      )
      .bind(rows),
    app.db
      .prepare(
        `INSERT INTO invite (code, server_id, state, notes_md, privacy_level, created_at, decided_at, due_at)
         SELECT value ->> 'code', s.id, 'approved', '', 'public', 0, 0, 9e15
         FROM json_each(?) JOIN discord_server s ON s.server_id = value ->> 'id'`,
      )
      .bind(rows),
  ])
  const { results } = await app.db.prepare('SELECT id, code FROM invite').all<{ id: number; code: string }>()
  return results.flatMap(({ id, code }) => {
    const guild = GUILDS.find((one) => one.code === code)
    if (!guild) return []
    const diesAt = random.chance(MORTAL) ? startAt + random.next() * spanMs : Infinity
    if (diesAt < Infinity) void until(diesAt).then(() => app.world.world.revokedInvites.add(code))
    return [{ invite: id, guild, diesAt }]
  })
}

async function click(app: BenchApp, target: Target): Promise<Click> {
  const startedAt = Date.now()
  const answer = await fetch(`${app.world.world.options.appUrl}/classcords/join/${target.invite}/`, {
    redirect: 'manual',
  })
  await answer.arrayBuffer()
  return { target, startedAt, endedAt: Date.now(), status: answer.status }
}

/** The maximum number of these times in any 10 seconds. */
function busiest(times: readonly number[]): number {
  let [most, first] = [0, 0]
  for (const [last, at] of times.entries()) {
    while ((times[first] ?? at) <= at - windowMs) first += 1
    most = Math.max(most, last - first + 1)
  }
  return most
}

function reportOf(app: BenchApp, clicks: readonly Click[]): Part {
  const asked = app.world.world.requests.filter(
    ({ service, path }) => service === 'discord' && path.includes('/invites/'),
  )
  const askedAbout = Map.groupBy(asked, ({ path }) => /\/invites\/([^/?]+)/.exec(path)?.[1] ?? '')
  const joined = clicks.filter(({ status }) => status === 302)
  const refused = clicks.filter(({ status }) => status === 410)
  const hasWaited = ({ target, startedAt, endedAt }: Click) =>
    (askedAbout.get(target.guild.code) ?? []).some(({ at }) => at >= startedAt - discordMs && at <= endedAt)
  const hasCheck = ({ target, endedAt }: Click) =>
    (askedAbout.get(target.guild.code) ?? []).some(({ at }) => at > endedAt - FRESH_MS - discordMs && at <= endedAt)
  const took = (some: readonly Click[], share: number) =>
    percentile(
      some.map(({ startedAt, endedAt }) => endedAt - startedAt),
      share,
    )
  const waited = joined.filter(hasWaited)
  const fresh = joined.filter((one) => !hasWaited(one))
  const figures: Figure[] = [
    {
      what: 'clicks that led to Discord or said that the invite is dead',
      value: joined.length + refused.length,
      unit: '',
      exactly: CLICKS,
    },
    { what: 'refused, because the invite was dead', value: refused.length, unit: '', atLeast: CLICKS / 20 },
    {
      what: 'joins of an invite that died longer ago than a check counts',
      value: joined.filter(({ target, startedAt }) => target.diesAt < startedAt - FRESH_MS).length,
      unit: '',
      exactly: 0,
    },
    {
      what: 'joins without a check, because Discord was not asked in time',
      value: joined.filter((one) => !hasCheck(one)).length,
      unit: '',
    },
    {
      what: 'joins within the minute after the invite died, on a check from before',
      value: joined.filter(({ target, startedAt }) => target.diesAt < startedAt).length,
      unit: '',
    },
    {
      what: 'refused although the invite was alive',
      value: refused.filter(({ target, endedAt }) => target.diesAt > endedAt).length,
      unit: '',
      exactly: 0,
    },
    { what: 'requests to Discord', value: asked.length, unit: '' },
    {
      what: 'in the busiest 10 s',
      value: busiest(asked.map(({ at }) => at)),
      unit: '',
      atMost: discordCallsPer10s,
      note: `${MAX_REQUESTS} are sent at most, and may arrive closer together`,
    },
    { what: 'redirect on a fresh check: median', value: took(fresh, 0.5), unit: 'ms' },
    { what: 'p95', value: took(fresh, 0.95), unit: 'ms' },
    {
      what: 'redirect that waited for Discord: median',
      value: took(waited, 0.5),
      unit: 'ms',
      note: `${waited.length} of them`,
    },
    { what: 'p95', value: took(waited, 0.95), unit: 'ms' },
  ]
  return {
    name: `o. Joins: ${CLICKS.toLocaleString('en-US')} clicks over HTTP in ${spanMs / 1000} s, on ${GUILDS.length} invites of which ${MORTAL * 100}% die`,
    figures,
    notes: [`Discord answers after ${discordMs} ms. A check counts for ${FRESH_MS / 1000} s.`],
  }
}
