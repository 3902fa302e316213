import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

/** The one file that runs statements, and the steps of the ledger's schema. */
const allowed = ['src/db/query.ts', 'src/jobs/ledger/schema.ts']

const refused = [
  /\.(?:prepare|exec|rows)(?:<[^()]*>)?\(\s*['"`]/,
  /D1PreparedStatement|SqlStorage\b|\bDB\.(?:exec|batch)\(|\.sql\.exec\b/,
  // A template is Drizzle's if its tag is `sql` or `sql<Type>`.
  /(?<!sql|>)['"`]\s*(?:SELECT|INSERT|REPLACE|UPDATE|DELETE FROM|WITH|CREATE|ALTER|DROP|PRAGMA)\s/,
]

const isRefused = (text: string): boolean => refused.some((pattern) => pattern.test(text))

test('every database statement is built by Drizzle', () => {
  const files = globSync('src/**/*.{ts,tsx}').filter((file) => !allowed.includes(file))
  expect(files.length).toBeGreaterThan(100)
  expect(files.filter((file) => isRefused(readFileSync(file, 'utf8')))).toEqual([])
})

test('a statement that is text is noticed, and a template is not', () => {
  const wrong = [
    "db.prepare('DELETE FROM job')",
    'sql.rows<{ id: string }>(`',
    'storage.sql.exec(text)',
    'const text = `\n  SELECT id FROM job`',
    "'CREATE TABLE job (id TEXT)'",
  ]
  expect(wrong.filter((text) => !isRefused(text))).toEqual([])
  expect(['sql`SELECT 1`', 'sql<number>`SELECT 1`', 'runIn(db, findJob({ id }))'].filter(isRefused)).toEqual([])
})
