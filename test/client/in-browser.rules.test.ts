import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { build, type BuildOptions } from 'esbuild'
import { expect, test } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** What the server needs to render islands, bundled as wrangler does. */
const onServer = {
  absWorkingDir: root,
  entryPoints: ['client/islands/server.ts'],
  bundle: true,
  format: 'esm',
  jsx: 'automatic',
  minify: true,
  conditions: ['workerd', 'worker', 'browser'],
  metafile: true,
  write: false,
} as const satisfies BuildOptions

test('what a page loads later is not part of the Worker', async () => {
  const { metafile } = await build(onServer)
  const later = Object.values(metafile.inputs).flatMap(({ imports }) =>
    imports.filter(({ kind }) => kind === 'dynamic-import').map(({ path }) => path),
  )
  expect(later.length).toBeGreaterThan(3)
  expect(new Set(later)).toEqual(new Set(['client/nothing.ts']))
})

test('what only events and effects need is not part of the Worker', async () => {
  const [output] = Object.values((await build(onServer)).metafile.outputs)
  const bundled = Object.entries(output?.inputs ?? {}).flatMap(([path, { bytesInOutput }]) =>
    bytesInOutput > 0 ? path : [],
  )
  expect(bundled).toContain('client/components/button.tsx')
  const islands = [
    'class-tracker/calls.ts',
    'class-tracker/found-lists.tsx',
    'classcords/calls.ts',
    'classcords/grow.ts',
  ]
  const others = ['api.ts', 'errors.ts', 'refresher.ts', 'storage.ts', 'components/dialog.tsx']
  for (const path of [...others, ...islands.map((name) => `islands/${name}`)])
    expect(bundled).not.toContain(`client/${path}`)
})

test('what an effect does is not part of the Worker', async () => {
  const settings = await readFile(`${root}/wrangler.toml`, 'utf8')
  const alias = Object.fromEntries(
    [...settings.matchAll(/^"(react[^"]*)" = "(.+)"$/gm)].map(([, from, to]) => [from, to]),
  )
  const inEffects = 'visibilitychange'
  const [whole] = (await build(onServer)).outputFiles
  expect(whole?.text).toContain(inEffects)
  const [bundled] = (await build({ ...onServer, alias })).outputFiles
  expect(bundled?.text).not.toContain(inEffects)
})
