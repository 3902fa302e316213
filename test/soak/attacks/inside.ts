import type { Attack, Attacker } from './attacker.ts'
import { logInAsSelf } from './tokens.ts'

/** An address where no one answers, so that a broken guard cannot reach anything real from here. */
const hosts = [
  'https://10.255.255.1',
  'https://169.254.0.1',
  'http://127.evil.example',
  'https://[fd00::ffff:1]',
  'https://[::ffff:10.255.255.1]',
  'https://0x0affff01',
  'https://192.168.255.254:8443',
  'https://nobody.internal',
  'https://intranet',
  'file:///nothing',
]

/** With the cookie of someone who may add sources: the form refuses the address. */
async function addSources(attacker: Attacker): Promise<void> {
  const session = attacker.target.staffSession()
  if (session === null) return
  const browser = attacker.browser()
  browser.jar.set('session', session)
  for (const host of hosts) {
    const fields = {
      name: `Inside ${attacker.word()}`,
      kind: 'banner9',
      url: `${host}/StudentRegistrationSsb/ssb`,
      time_zone: 'America/New_York',
      poll_seconds: '60',
      requests_per_minute: '60',
      settings: '{}',
    }
    // The staff log in repeatedly, and may have ended this session.
    const answer = await attacker.post(browser, '/admin/sources/add/', fields, { harmless: [302, 401, 404, 422] })
    if (answer?.status === 422 && !/The (?:address|host name) |An IPv4 address /.test(answer.text))
      attacker.gained(`no word of ${host}`)
  }
}

/** As an invite, which a member may have looked up, and as the redirect target after logging in. */
async function sendInside(attacker: Attacker): Promise<void> {
  const browser = attacker.browser()
  for (const host of hosts) {
    const next = encodeURIComponent(`${host}/accounts/`)
    const page = await attacker.send(browser, `/accounts/login/?next=${next}`, { harmless: [200] })
    if (page?.location.includes(host)) attacker.gained(`sent to ${page.location}`)
  }
  if (!(await logInAsSelf(attacker, browser))) return
  for (const host of hosts) {
    const fields = { invite_url: `${host}/invite/abc` }
    await attacker.post(browser, '/classcords/ajax/validate-discord-invite', fields, { harmless: [400, 401, 422] })
  }
}

export const inside: readonly Attack[] = [
  { kind: 'sources that lead inside', run: addSources },
  { kind: 'other addresses that lead inside', run: sendInside },
]
