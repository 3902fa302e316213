import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

test('a request is stopped after 30 seconds of CPU time', () => {
  const settings = readFileSync(new URL('../../wrangler.toml', import.meta.url), 'utf8')
  expect(/^\[limits\]\ncpu_ms = (\d+)$/m.exec(settings)?.[1]).toBe('30000')
})
