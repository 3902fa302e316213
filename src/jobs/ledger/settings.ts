import type { LedgerSettings, QueuePause } from './views.ts'
import { figure, first, type Reader, type Turn } from './sql.ts'

/** The ledger's own values, stored beside {@link LedgerSettings}. */
type Mark = 'paused' | 'paused_at' | 'last_seq' | 'last_tick_at' | 'ring_after'

const bounds: Readonly<Record<keyof LedgerSettings, { least: number; most: number }>> = {
  ahead: { least: 1, most: 1000 },
  keep_days: { least: 1, most: 365 },
  keep_rows: { least: 1000, most: 1_000_000 },
}

export const isPaused = (reader: Reader): boolean => readMark(reader, 'paused') === 1

/** Since when the queue has been paused, and by whom. Null while it runs. */
export function readPause(reader: Reader): QueuePause | null {
  if (!isPaused(reader)) return null
  const at = readMark(reader, 'paused_at')
  const act = first<{ who: string | null }>(
    reader.sql,
    `SELECT who FROM audit WHERE at = ? AND act = 'pause' ORDER BY seq LIMIT 1`,
    at,
  )
  return { at, by: act?.who ?? null }
}

export function readMark({ sql }: Reader, name: Mark): number | null {
  return figure(sql, 'SELECT value AS figure FROM setting WHERE name = ?', name)
}

export function writeMark({ sql }: Reader, name: Mark | keyof LedgerSettings, value: number): void {
  sql.rows(
    'INSERT INTO setting (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value',
    name,
    value,
  )
}

export function writeTick(turn: Turn): void {
  turn.isQueueTouched = true
  writeMark(turn, 'last_tick_at', turn.now)
}

export function readSettings({ sql, queue }: Reader): LedgerSettings {
  const kept = new Map(
    sql.rows<{ name: string; value: number }>('SELECT name, value FROM setting').map((row) => [row.name, row.value]),
  )
  return {
    ahead: kept.get('ahead') ?? (queue === 'alerts' ? 100 : 20),
    keep_days: kept.get('keep_days') ?? 14,
    keep_rows: kept.get('keep_rows') ?? 200_000,
  }
}

/** What is wrong with `value`; '' when it is valid. */
export function refuseSetting(name: keyof LedgerSettings, value: number): string {
  const { least, most } = bounds[name]
  if (Number.isInteger(value) && value >= least && value <= most) return ''
  return `${name} must be a whole number from ${least} to ${most}.`
}
