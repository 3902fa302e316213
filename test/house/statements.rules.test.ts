import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

/** The one file that prepares statements of D1. */
const allowed = ['src/db/query.ts']

test('every database statement is built by Drizzle', () => {
  const files = globSync('src/**/*.{ts,tsx}').filter((file) => !allowed.includes(file))
  expect(files.length).toBeGreaterThan(100)
  const wrong = files.filter((file) =>
    /\.prepare\(\s*['"`]|D1PreparedStatement|\bDB\.(?:exec|batch)\(/.test(readFileSync(file, 'utf8')),
  )
  expect(wrong).toEqual([])
})
