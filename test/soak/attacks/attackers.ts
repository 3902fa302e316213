import { setTimeout as pause } from 'node:timers/promises'
import { type Attack, Attacker, type Target } from './attacker.ts'
import { bodies } from './bodies.ts'
import { inside } from './inside.ts'
import { mails } from './mails.ts'
import { passwords } from './passwords.ts'
import { floods, reads } from './reads.ts'
import { tokens } from './tokens.ts'
import { unsubscribing } from './unsubscribing.ts'
import { uses } from './uses.ts'

const attacks: readonly Attack[] = [
  ...passwords,
  ...mails,
  ...reads,
  ...uses,
  ...tokens,
  ...inside,
  ...unsubscribing,
  ...bodies,
  ...floods,
]
const restMs = 1000

/**
 * Each attacker tries all kinds of attacks in sequence, starting with a different one. Resolves when the last has
 * finished.
 */
export async function attack(target: Target, addresses: readonly string[]): Promise<void> {
  let isFlooding = false
  async function attackFrom(address: string, number: number): Promise<void> {
    const attacker = new Attacker(target, number, address)
    const first = Math.floor((number * attacks.length) / addresses.length)
    for (let turn = first; !target.isOver(); turn += 1) {
      const next = attacks[turn % attacks.length]
      if (!next || (next.isFlood && isFlooding)) continue
      if (next.isFlood) isFlooding = true
      attacker.kind = next.kind
      await next.run(attacker)
      if (next.isFlood) isFlooding = false
      await pause(restMs)
    }
  }
  await Promise.all(addresses.map(attackFrom))
}
