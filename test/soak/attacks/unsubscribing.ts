import { randomBytes } from 'node:crypto'
import type { Attack, Attacker } from './attacker.ts'

const oneClick = 'List-Unsubscribe=One-Click'
const formType = { 'content-type': 'application/x-www-form-urlencoded' }

async function forgeLinks(attacker: Attacker): Promise<void> {
  for (let count = 0; count < 10; count += 1) {
    const id = attacker.random.pick(attacker.target.known.contacts)
    const path = `/notify/unsubscribe/${id}.${randomBytes(32).toString('base64url')}`
    await attacker.send(attacker.browser(), path, { harmless: [404] })
    const sent = { harmless: [404], method: 'POST', headers: formType, body: oneClick }
    await attacker.send(attacker.browser(), path, sent)
  }
}

/** As the SMS provider would report a STOP reply or an arrived message. */
async function forgeCalls(attacker: Attacker): Promise<void> {
  for (let count = 0; count < 10; count += 1) {
    const From = `+1303${String(2_000_000 + count)}`
    const body = new URLSearchParams({ From, Body: 'STOP', MessageSid: 'SM1', MessageStatus: 'delivered' })
    const signature = randomBytes(20).toString('base64')
    for (const path of ['/notify/sms/inbound', '/notify/sms/status?delivery=1'])
      for (const headers of [{}, { 'x-twilio-signature': signature }])
        await attacker.send(attacker.browser(), path, { harmless: [403], method: 'POST', headers, body })
  }
}

export const unsubscribing: readonly Attack[] = [
  { kind: 'forged unsubscribe links', run: forgeLinks },
  { kind: 'forged calls of the SMS provider', run: forgeCalls },
]
