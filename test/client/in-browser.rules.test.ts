import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { expect, test } from 'vitest'

test('what a page loads later is no part of the Worker', async () => {
  const { metafile } = await build({
    absWorkingDir: fileURLToPath(new URL('../..', import.meta.url)),
    entryPoints: ['client/islands/server.ts'],
    bundle: true,
    format: 'esm',
    jsx: 'automatic',
    // As wrangler has them.
    conditions: ['workerd', 'worker', 'browser'],
    metafile: true,
    write: false,
  })
  const later = Object.values(metafile.inputs).flatMap(({ imports }) =>
    imports.filter(({ kind }) => kind === 'dynamic-import').map(({ path }) => path),
  )
  expect(later.length).toBeGreaterThan(3)
  expect(new Set(later)).toEqual(new Set(['client/nothing.ts']))
})
