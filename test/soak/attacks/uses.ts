import type { Attack } from './attacker.ts'

/** One client joins repeatedly, each time as a new visitor. */
export const uses: readonly Attack[] = [
  {
    kind: 'invite uses with fresh cookies',
    async run(attacker) {
      const { known, used } = attacker.target
      const invite = attacker.random.pick(known.publicInvites)
      for (let count = 0; count < 20; count += 1) {
        const browser = attacker.browser()
        const headers = { 'x-csrftoken': await attacker.token(browser) }
        used(invite, attacker.address)
        const path = `/classcords/ajax/invites/${invite}/track-usage/`
        await attacker.send(browser, path, { harmless: [200], method: 'PUT', headers })
        const hidden = `/classcords/ajax/invites/${attacker.random.pick(known.privateInvites)}/track-usage/`
        await attacker.send(browser, hidden, { harmless: [401, 404], method: 'PUT', headers })
      }
    },
  },
]
