import type { Attack, Attacker } from './attacker.ts'

const form = 'application/x-www-form-urlencoded'
const paths = ['/accounts/login/', '/accounts/signup/', '/accounts/password/reset/', '/accounts/login/code/']
const strange: readonly { type: string; body: () => BodyInit }[] = [
  { type: form, body: () => 'x'.repeat(200_000) },
  { type: form, body: () => '%E0%A4%A&login=%00&password=%FF' },
  { type: form, body: () => Array.from({ length: 5000 }, (_, number) => `field${number}=1`).join('&') },
  { type: form, body: () => '__proto__=1&constructor=2&login[]=3&email=a&email=b' },
  { type: 'multipart/form-data', body: () => 'no boundary' },
  { type: 'multipart/form-data; boundary=b', body: () => '--b\r\nContent-Disposition: form-data; name="email"\r\n' },
  { type: 'application/json', body: () => '['.repeat(50_000) },
  { type: 'text/plain', body: () => new Uint8Array(1000) },
  { type: 'application/xml', body: () => '<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]><x>&e;</x>' },
]
const strangePaths = [
  '/%E0%A4%A',
  '/classcords/all/?q=%00%FF&page=-1',
  `/classcords/all/?q=${'%F0%9F%98%80'.repeat(300)}`,
  '/classcords/school/99999999999999999999/',
  '/accounts/../../etc/passwd',
  '//evil.example/',
]

async function sendBodies(attacker: Attacker): Promise<void> {
  const browser = attacker.browser()
  const token = await attacker.token(browser)
  const refused = { harmless: [400, 413, 415, 422], method: 'POST' }
  for (const { type, body } of strange) {
    const headers = { 'content-type': type, 'x-csrftoken': token }
    await attacker.send(browser, attacker.random.pick(paths), { ...refused, headers, body: body() })
  }
  for (const path of strangePaths) await attacker.send(attacker.browser(), path, { harmless: [200, 302, 400, 404] })
  const headers = { cookie: `session=${'x'.repeat(6000)}`, 'x-forwarded-for': '127.0.0.1' }
  await attacker.send(attacker.browser(), '/accounts/sessions/', { harmless: [302, 400, 431], headers })
}

export const bodies: readonly Attack[] = [{ kind: 'hostile bodies and paths', run: sendBodies }]
