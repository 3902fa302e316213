import { refreshSections } from './app/sources.ts'
import type { StatementCount } from './app/counted-database.ts'
import type { BenchApp } from './app/start-app.ts'
import type { Figure } from './report.ts'

const isOfSections = ({ sql }: StatementCount): boolean => /\b(?:INTO|UPDATE|DELETE FROM) "section"/i.test(sql)
const isFormerState = ({ sql }: StatementCount): boolean => /^SELECT .*"fingerprint".* FROM "section"/is.test(sql)
const sum = (counts: readonly StatementCount[], of: 'runs' | 'rows_read' | 'rows_written' | 'duration'): number =>
  counts.reduce((total, count) => total + count[of], 0)

/**
 * Two refreshes of a whole term through the app's own job: what the first costs the database, and that the second, of
 * an unchanged school, writes nothing.
 */
export async function measureWrites(app: BenchApp, termId: number): Promise<Figure[]> {
  await app.counts()
  await refreshSections(app, termId)
  const first = await app.counts()
  const sections = (await app.db.prepare('SELECT count(*) AS n FROM section').first<number>('n')) ?? 0
  await refreshSections(app, termId)
  const second = await app.counts()
  if (!first.some(isOfSections)) throw new Error('No statement that writes sections was recognized.')
  const former = second.filter(isFormerState)
  const others = second.filter((count) => !isOfSections(count) && count.rows_written > 0)
  return [
    {
      what: 'first write: D1 statements a 1 000 sections',
      value: (sum(first, 'runs') * 1000) / sections,
      unit: '',
      atMost: 5,
      note: `${sum(first, 'runs')} for ${sections} sections, reads included`,
    },
    {
      what: 'second, unchanged refresh: rows of sections written',
      value: sum(second.filter(isOfSections), 'rows_written'),
      unit: '',
      exactly: 0,
      note: `others: ${others.map(({ sql, rows_written }) => `${tableOf(sql)} ${rows_written}`).join(', ')}`,
    },
    {
      what: 'read of the former state, in SQLite',
      value: sum(former, 'duration'),
      unit: 'ms',
      note: `${sum(former, 'rows_read')} rows read by ${sum(former, 'runs')} statements`,
    },
  ]
}

/** The table that a statement writes. */
export function tableOf(sql: string): string {
  return /\b(?:INTO|UPDATE|DELETE FROM) "?(\w+)/i.exec(sql)?.[1] ?? sql.slice(0, 30)
}
