import * as fc from 'fast-check'
import { test } from 'vitest'
import { betweenRuns, history } from './history.ts'
import { nodeSql } from './node-sql.ts'
import { PlayedLedger } from './played-ledger.ts'

const seed = process.env['SEED']
const numRuns = process.env['DEEP'] ? 10_000 : 150

test(`${numRuns} random histories break none of the ledger's promises`, { timeout: 1_200_000 }, () => {
  fc.assert(
    fc.property(history, (steps) => {
      const sql = nodeSql()
      const ledger = new PlayedLedger(sql)
      for (const step of steps) ledger.play(step)
      ledger.settle()
      sql.close()
    }),
    { numRuns, examples: [[betweenRuns]], ...(seed ? { seed: Number(seed) } : {}) },
  )
})
