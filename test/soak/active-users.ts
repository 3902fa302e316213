import { Visitor } from '../world/client.ts'
import { randomFrom } from '../world/random.ts'
import { SIGN_INS } from '../world/start/seed.ts'
import type { World } from '../world/world.ts'
import type { Known } from './soak-accounts.ts'
import type { Visitors } from './visitors.ts'

const signUpMs = 10_000
const joinMs = 2000
/** A known mailbox gets five account emails an hour. */
const codeMs = 15 * 60_000
const student = { ...SIGN_INS[1], address: '203.0.113.3' }

export interface ActiveUsers {
  /** When the confirmation of each new address was requested, ms since epoch. */
  expected: ReadonlyMap<string, number>
  joined(): number
  stop(): void
}

interface Asked {
  origin: string
  visitors: Visitors
  known: Known
  used(invite: number, address: string): void
}

/**
 * People who do more than look: sometimes one signs up, some join servers, and a student whom attackers target requests
 * a login code in a known browser.
 */
export async function startActiveUsers({ origin, visitors, known, used }: Asked): Promise<ActiveUsers> {
  const random = randomFrom('guests')
  const expected = new Map<string, number>()
  let joined = 0
  const tokenOf = async (visitor: Visitor, address: string): Promise<string | undefined> => {
    const page = await visitors.ask(visitor, address, '/class_tracker/')
    return /"csrf_token":"([^"]+)"/.exec(page?.text ?? '')?.[1]
  }

  async function signUp(number: number): Promise<void> {
    const [visitor, address] = [new Visitor(origin), visitors.anybody()]
    const csrf_token = await tokenOf(visitor, address)
    if (csrf_token === undefined) return
    const email = `guest${number}-${Date.now()}@example.com`
    const password = 'three words and a comma'
    const form = {
      email,
      username: `guest-${number}-${Date.now()}`,
      password1: password,
      password2: password,
      csrf_token,
    }
    const at = Date.now()
    const answer = await visitors.ask(visitor, address, '/accounts/signup/', { form })
    if (answer?.status !== 303) return
    const confirm = await visitors.ask(visitor, address, '/accounts/confirm-email/')
    if (confirm === null || confirm.text.includes(`Confirmation email sent to ${email}`)) expected.set(email, at)
    else visitors.fail(`No mail was promised to ${email}: ${confirm.text.slice(0, 300)}`)
  }

  async function join(): Promise<void> {
    const [visitor, address] = [new Visitor(origin), visitors.anybody()]
    const token = await tokenOf(visitor, address)
    if (token === undefined) return
    const invite = random.pick(known.publicInvites)
    used(invite, address)
    const path = `/classcords/ajax/invites/${invite}/track-usage/`
    const answer = await visitors.ask(visitor, address, path, { method: 'PUT', headers: { 'x-csrftoken': token } })
    if (answer?.status === 200) joined += 1
  }

  const browser = new Visitor(origin)
  async function sendAsStudent(path: string, fields: Record<string, string>): Promise<void> {
    const csrf_token = await tokenOf(browser, student.address)
    if (csrf_token !== undefined)
      await visitors.ask(browser, student.address, path, { form: { ...fields, csrf_token } })
  }
  const askForCode = () => sendAsStudent('/accounts/login/code/', { email: student.email })
  await sendAsStudent('/accounts/login/', { login: student.username, password: student.password })
  browser.jar.delete('session')

  let signUps = 0
  const timers = [
    setInterval(() => void signUp((signUps += 1)), signUpMs),
    setInterval(() => void join(), joinMs),
    setInterval(() => void askForCode(), codeMs),
    // Once attackers have used up the limits of strangers.
    setTimeout(() => void askForCode(), 45_000),
  ]
  return {
    expected,
    joined: () => joined,
    stop() {
      for (const timer of timers) clearTimeout(timer)
    },
  }
}

/** Seconds from each request for a confirmation to its email; null if none came. */
export function confirmations(world: World, { expected }: ActiveUsers): (number | null)[] {
  return [...expected].map(([address, asked]) => {
    const mail = world.emails.find(({ to }) => to.includes(address))
    return mail ? (mail.at - asked) / 1000 : null
  })
}
