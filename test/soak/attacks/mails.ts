import type { Attack, Attacker } from './attacker.ts'

const forms = { signUp: '/accounts/signup/', reset: '/accounts/password/reset/', code: '/accounts/login/code/' }
const confirm = '/accounts/login/code/confirm/'

/** Different addresses, one mailbox under many spellings, and people who have an account. */
function addressFor(attacker: Attacker): string {
  const { random } = attacker
  const own = `target-${attacker.number}`
  return random.weighted([
    [4, () => `${own}-${attacker.word()}@example.net`],
    [3, () => `victim+${attacker.word()}@example.net`],
    [1, () => `VICTIM+${attacker.word()}@Example.net`],
    [1, () => `v.i.ctim+${attacker.word()}@gmail.com`],
    [2, () => `student+${attacker.word()}@example.com`],
    [2, () => random.pick(['student@example.com', 'admin@example.com', 'Student@example.com'])],
  ])()
}

async function guessCode(attacker: Attacker): Promise<void> {
  const browser = attacker.browser()
  const email = addressFor(attacker)
  const asked = await attacker.post(browser, forms.code, { email }, { harmless: [303, 422] })
  if (asked?.status !== 303) return
  for (let guess = 0; guess < 4; guess += 1)
    await attacker.post(browser, confirm, { code: 'BCDF-GHJK' }, { harmless: [303, 422] })
}

/** Email to people who did not request it, and accounts created with their addresses. */
export const mails: readonly Attack[] = [
  {
    kind: 'sign-ups',
    async run(attacker) {
      for (let count = 0; count < 10; count += 1) {
        const password = `made for you ${attacker.word()}`
        const fields = {
          email: addressFor(attacker),
          username: `made-${attacker.number}-${attacker.word()}`,
          password1: password,
          password2: password,
        }
        await attacker.post(attacker.browser(), forms.signUp, fields, { harmless: [303, 422] })
        const browser = attacker.browser()
        const login = { login: fields.email, password }
        if (count % 5 === 0) await attacker.post(browser, '/accounts/login/', login, { harmless: [303, 422] })
      }
    },
  },
  {
    kind: 'password resets',
    async run(attacker) {
      for (let count = 0; count < 25; count += 1)
        await attacker.post(attacker.browser(), forms.reset, { email: addressFor(attacker) }, { harmless: [303] })
    },
  },
  {
    kind: 'login codes',
    async run(attacker) {
      for (let count = 0; count < 6; count += 1) await guessCode(attacker)
    },
  },
]
