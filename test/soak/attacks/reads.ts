import { setTimeout as pause } from 'node:timers/promises'
import type { Attack, Attacker } from './attacker.ts'

const common = ['a', 'the', 'class', 'calculus', 'server', 'university', 'i', 'to', 'programming']
const harmless = [200, 302, 401, 404]

/** Addresses that are not cached. */
function uncachedPath(attacker: Attacker): string {
  const { random } = attacker
  const number = random.between(1, 1_000_000)
  return random.pick([
    () => `/classcords/all/?q=${attacker.word()}`,
    () => `/classcords/all/?q=${random.pick(common)}+${random.pick(common)}+${attacker.word()}`,
    () => `/classcords/all/?page=${number}`,
    () => `/classcords/all/?q=${random.pick(common)}&page=${number}`,
    () => `/classcords/all/?subject_id=${number}&course_id=${number}`,
    () => `/classcords/school/${number % 9}/?page=${number}`,
    () => `/classcords/server/${number % 200}/`,
    () => `/classcords/ajax/servers/${number % 200}/invites/`,
  ])()
}

const subjectPath = (attacker: Attacker): string =>
  attacker.random.chance(0.5)
    ? `/classcords/ajax/subjects/?x=${attacker.word()}`
    : `/classcords/ajax/subjects/${attacker.random.between(1, 1_000_000)}/courses/`

async function ask(attacker: Attacker, path: string, method = 'GET', accept = 'text/html'): Promise<void> {
  await attacker.send(attacker.browser(), path, { harmless, method, headers: { accept } })
}

/** Several at once, repeated this often. */
async function rounds(times: number, atOnce: number, pauseMs: number, one: () => Promise<void>): Promise<void> {
  for (let round = 0; round < times; round += 1) {
    await Promise.all(Array.from({ length: atOnce }, one))
    await pause(pauseMs)
  }
}

async function askForPrivate(attacker: Attacker): Promise<void> {
  const id = attacker.random.pick(attacker.target.known.privateServers)
  const path = `/classcords/ajax/servers/${id}/invites/`
  await attacker.send(attacker.browser(), path, { harmless: [401, 404] })
}

export const reads: readonly Attack[] = [
  {
    kind: 'search and paging',
    run: (attacker) => rounds(10, 5, 250, () => ask(attacker, uncachedPath(attacker))),
  },
  {
    kind: 'subjects and courses',
    run: (attacker) => rounds(10, 5, 250, () => ask(attacker, subjectPath(attacker))),
  },
  {
    kind: 'JSON and HEAD',
    run: (attacker) =>
      rounds(10, 5, 250, () => {
        const path = attacker.random.chance(0.5) ? uncachedPath(attacker) : subjectPath(attacker)
        const [method, accept] = attacker.random.pick([
          ['GET', 'application/json'],
          ['HEAD', 'text/html'],
          ['HEAD', 'application/json'],
        ] as const)
        return ask(attacker, path, method, accept)
      }),
  },
  { kind: 'private servers', run: (attacker) => rounds(4, 5, 250, () => askForPrivate(attacker)) },
]

/** More from one address than a campus may request in a minute. */
export const floods: readonly Attack[] = [
  {
    kind: 'flood from one address',
    isFlood: true,
    run: (attacker) => rounds(150, 20, 100, () => ask(attacker, uncachedPath(attacker))),
  },
]
