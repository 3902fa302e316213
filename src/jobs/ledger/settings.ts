import { and, eq } from 'drizzle-orm'
import { firstIn, runIn } from '../../db/own-database.ts'
import { excluded, parameter, prepared, query } from '../../db/query.ts'
import type { LedgerSettings, QueuePause } from './views.ts'
import { scalar, type Reader, type Transaction } from './sql.ts'
import { audit, setting } from './tables.ts'

/** The ledger's own values, stored beside {@link LedgerSettings}. */
type InternalValue = 'paused' | 'paused_at' | 'last_seq' | 'last_tick_at' | 'send_after'

/** What people call the settings, and their bounds. */
export const settingRules = {
  ahead: { label: 'Prefetch', least: 1, most: 1000 },
  keep_days: { label: 'Days to keep ended jobs', least: 1, most: 365 },
  keep_rows: { label: 'Maximum jobs kept', least: 1000, most: 1_000_000 },
} as const satisfies Readonly<Record<keyof LedgerSettings, { label: string; least: number; most: number }>>

export const settingNames = ['ahead', 'keep_days', 'keep_rows'] as const satisfies readonly (keyof LedgerSettings)[]

export const isPaused = (reader: Reader): boolean => readValue(reader, 'paused') === 1

const findPause = prepared(() =>
  query
    .select({ who: audit.who })
    .from(audit)
    .where(and(eq(audit.at, parameter('at')), eq(audit.act, 'pause')))
    .orderBy(audit.seq)
    .limit(1),
)

/** Since when the queue has been paused, and by whom. Null while it runs. */
export function readPause(reader: Reader): QueuePause | null {
  if (!isPaused(reader)) return null
  const at = readValue(reader, 'paused_at')
  return { at, by: firstIn(reader.sql, findPause({ at }))?.who ?? null }
}

const findValue = prepared(() =>
  query
    .select({ value: setting.value })
    .from(setting)
    .where(eq(setting.name, parameter('name'))),
)

export function readValue({ sql }: Reader, name: InternalValue): number | null {
  return scalar(sql, findValue({ name }))
}

const setValue = prepared(() =>
  query
    .insert(setting)
    .values({ name: parameter('name'), value: parameter('value') })
    .onConflictDoUpdate({ target: setting.name, set: { value: excluded(setting.value) } }),
)

export function writeValue({ sql }: Reader, name: InternalValue | keyof LedgerSettings, value: number): void {
  runIn(sql, setValue({ name, value }))
}

export function writeTick(tx: Transaction): void {
  tx.isQueueTouched = true
  writeValue(tx, 'last_tick_at', tx.now)
}

const findSettings = prepared(() => query.select().from(setting))

export function readSettings({ sql, queue }: Reader): LedgerSettings {
  const stored = new Map(runIn(sql, findSettings()).map(({ name, value }) => [name, value]))
  return {
    ahead: stored.get('ahead') ?? (queue === 'alerts' ? 100 : 20),
    keep_days: stored.get('keep_days') ?? 14,
    keep_rows: stored.get('keep_rows') ?? 200_000,
  }
}

/** What is wrong with `value`; '' when it is valid. */
export function refuseSetting(name: keyof LedgerSettings, value: number): string {
  const { label, least, most } = settingRules[name]
  if (Number.isInteger(value) && value >= least && value <= most) return ''
  return `${label} must be a whole number from ${least} to ${most}.`
}
