import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import * as fc from 'fast-check'
import { expect, inject, test } from 'vitest'
import type { Ledger } from '../../src/jobs/ledger/index.ts'
import { storageSql } from '../../src/jobs/ledger/sql.ts'
import { history } from './history.ts'
import { PlayedLedger } from './played-ledger.ts'

const histories = inject('depth') > 1 ? 10_000 : 60
/** The time that one turn of the object may take; with more, the platform checks whether it is still alive. */
const aTurn = 100

/** Thrown out of a transaction, so that the next history finds the ledger empty. */
class Undo extends Error {}

/**
 * Plays whole histories in one turn of a ledger. @returns the report of the smallest one that broke a promise; '' if
 * none did
 */
function playTurn(storage: DurableObjectStorage, seed: number, numRuns: number): string {
  const sql = storageSql(storage)
  const property = fc.property(history, (steps) => {
    const play = () =>
      storage.transactionSync(() => {
        const ledger = new PlayedLedger(sql)
        for (const step of steps) ledger.play(step)
        ledger.settle()
        throw new Undo()
      })
    try {
      play()
    } catch (error) {
      if (!(error instanceof Undo)) throw error
    }
  })
  // Returned instead of thrown: an error would break the object, and the report with it.
  const details = fc.check(property, { seed, numRuns })
  return details.failed ? `${String(details.errorInstance)}\n${fc.defaultReportMessage(details)}` : ''
}

test(
  `${histories} random histories in a Durable Object's own storage break none of the ledger's promises`,
  { timeout: 1_200_000 },
  async () => {
    const stub = (env.LEDGER as DurableObjectNamespace<Ledger>).get(env.LEDGER.idFromName('polls'))
    for (let played = 0; played < histories; played += aTurn) {
      const [seed, numRuns] = [inject('seed') + played, Math.min(aTurn, histories - played)]
      expect(await runInDurableObject(stub, (_, { storage }) => playTurn(storage, seed, numRuns))).toBe('')
    }
  },
)
