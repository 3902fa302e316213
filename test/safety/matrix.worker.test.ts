import { env } from 'cloudflare:workers'
import fc from 'fast-check'
import { beforeAll, describe, expect, inject, it, vi } from 'vitest'
import { app } from '../../src/app.tsx'
import { makeRecipient, makeSection } from '../worker/catalog.ts'
import { makePending, makeSchool, makeServer } from '../worker/directory.ts'
import { rows } from '../worker/rows.ts'
import { site } from '../worker/visitor.ts'
import { secretsOfApp, wrongWith } from '../worker/matrix/answer-rules.ts'
import { bodyOf, type Cell, describeCell } from '../worker/matrix/cells.ts'
import {
  asDecided,
  brokenBodies,
  type Choice,
  forged,
  hostilePaths,
  hostileQuestions,
  type Place,
  placesOf,
  wrongMethods,
} from '../worker/matrix/parts.ts'
import { People } from '../worker/matrix/people.ts'
import { routesOf } from '../worker/matrix/route-classes.ts'

/**
 * Every route × role × method × ways to send it wrong, generated from the app's own routes: the answer is the expected
 * one, and never a 500.
 */

let people: People
let places: Place[]
const lines: string[] = []

beforeAll(async () => {
  people = await People.make()
  const group = await makeSchool()
  await rows('UPDATE source SET url = ?', `${env.WORLD_URL}/schools/harbor/StudentRegistrationSsb/ssb`)
  const section = await makeSection(group, '10001')
  const server = await makeServer({ schools: [group.school_id] })
  const known: Readonly<Record<string, number | string>> = {
    ...group,
    section_id: section,
    recipient_id: await makeRecipient(),
    server_id: server.id,
    invite_id: (await makePending()).id,
    // A school whose system we cannot read: it is shown, and never asked.
    listed_school: 'ivy-tech-community-college',
  }
  places = placesOf(routesOf(app.routes), (name) => String(known[name] ?? 1))
})

/** Makes a request, and returns what is wrong with the answer. */
async function wrongAbout(cell: Cell): Promise<string[]> {
  const isChange = !['GET', 'HEAD', 'OPTIONS'].includes(cell.method)
  const visitor = await people.visitor(cell.role, isChange && cell.decision.kind === 'in')
  const cookies = [...visitor.cookies.values()]
  const sent = isChange && cell.body !== undefined ? bodyOf(cell.body, visitor.csrfToken) : null
  const headers = new Headers({ accept: cell.isJson ? 'application/json' : 'text/html' })
  if (isChange) {
    headers.set('origin', site)
    headers.set('sec-fetch-site', 'same-origin')
    headers.set('x-csrftoken', visitor.csrfToken)
  }
  if (sent) headers.set('content-type', sent.type)
  for (const [name, value] of Object.entries(cell.headers ?? {}))
    if (value === null) headers.delete(name)
    else headers.set(name, value)
  const response = await visitor.fetch(cell.path, { method: cell.method, headers, ...(sent && { body: sent.body }) })
  const body = await response.text()
  const asked = { ...cell, cookies }
  return [...wrongWith(asked, response, body, people), ...undecided(cell, response)].map(
    (what) => `${describeCell(cell)} → ${response.status}: ${what}`,
  )
}

/** Whether the answer is an expected one. */
function undecided({ decision, statuses, allow, path }: Cell, { status, headers }: Response): string[] {
  if (allow !== undefined && headers.get('allow') !== allow) return [`allows ${headers.get('allow')}, not ${allow}`]
  if (decision.kind === 'in') return statuses.includes(status) ? [] : [`not one of ${statuses.join(' ')}`]
  if (decision.kind === 'refused')
    return decision.statuses.includes(status) ? [] : [`not ${decision.statuses.join(' or ')}`]
  const location = headers.get('location') ?? ''
  const next = new URLSearchParams(location.split('?')[1]).get('next')
  const isRightPlace = location.split('?')[0] === decision.page && [302, 303].includes(status)
  const { pathname, search } = new URL(site + path)
  return isRightPlace && (next === null || next === pathname + search) ? [] : [`to ${location}, not ${decision.page}`]
}

const together = 8

/** Everything in `npm run deep`; otherwise a part of every route and role, selected by the printed seed. */
const choice: Choice = {
  of(choices, count) {
    if (inject('depth') > 1) return choices
    const all = fc.shuffledSubarray([...choices], { minLength: count, maxLength: count })
    return fc.sample(all, { seed: (inject('seed') + drawn++) | 0, numRuns: 1 })[0] ?? []
  },
}
let drawn = 0

/** Runs cells, several at a time. */
async function run(part: (places: readonly Place[], choice: Choice) => Iterable<Cell>): Promise<void> {
  const chosen = [...part(places, choice)]
  expect(chosen.length).toBeGreaterThan(0)
  const wrong: string[] = []
  const spies = (['log', 'info', 'warn', 'error', 'debug'] as const).map((level) =>
    vi.spyOn(console, level).mockImplementation((...said: unknown[]) => void lines.push(JSON.stringify(said))),
  )
  const queue = chosen.values()
  const startedAt = Date.now()
  await Promise.all(
    Array.from({ length: together }, async () => {
      for (const cell of queue) wrong.push(...(await wrongAbout(cell)))
    }),
  )
  for (const spy of spies) spy.mockRestore()
  console.log(`${chosen.length} requests in ${Date.now() - startedAt} ms`)
  expect(wrong).toEqual([])
}

/** A busy machine needs longer. */
const timeout = inject('depth') > 1 ? 3_000_000 : 300_000

describe('every route', { timeout }, () => {
  it('answers each role as expected', () => run(asDecided))
  it('answers an unsupported method with the supported ones', () => run(wrongMethods))
  it('refuses a forged change', () => run(forged))
  it('survives a broken body', () => run(brokenBodies))
  it('survives invalid values in the path', () => run(hostilePaths))
  it('survives invalid values in the query', () => run(hostileQuestions))
})

describe('the log', () => {
  it('has one line per request and no address, cookie, token or secret', () => {
    expect(lines.length).toBeGreaterThan(500)
    const secrets = new Set(people.secrets())
    const leaking = lines.filter(
      (line) =>
        /@|198\.51\.|scrypt\$/.test(line) ||
        secretsOfApp.some((secret) => line.includes(secret)) ||
        (line.match(/[\w-]{43}/g) ?? []).some((word) => secrets.has(word)),
    )
    expect(leaking.slice(0, 20)).toEqual([])
  })
})
