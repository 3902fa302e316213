import { execFileSync } from 'node:child_process'
import { globSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync, copyFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, normalize } from 'node:path'
import { describe, expect, test } from 'vitest'

/** Who may import whom: only to the left. The linter says it while one types; this says it of the tree, and of the linter. */
const base = ['db', 'web', 'jobs', 'notify', 'sources']
const features = [...base, 'accounts']
const areas = [...features, 'class-tracker', 'classcords']
const mayImport: Record<string, string[]> = {
  db: ['db'],
  web: ['db', 'web', 'jobs'],
  jobs: ['db', 'web', 'jobs'],
  notify: ['notify'],
  sources: ['sources'],
  accounts: features,
  'class-tracker': [...features, 'class-tracker'],
  classcords: [...features, 'classcords'],
  scheduler: [...areas, 'scheduler'],
  admin: [...areas, 'admin'],
  home: [...areas, 'home'],
}
const rooms = Object.keys(mayImport)
const knowNoPages = ['db', 'jobs', 'notify', 'sources']

const importOf = /(?:from|import)\s*\(?\s*'(\.[^']+)'/g
function importsOf(file: string): string[] {
  return [...readFileSync(file, 'utf8').matchAll(importOf)].map((match) =>
    normalize(join(dirname(file), match[1] ?? '')),
  )
}
const files = globSync(['src/**/*.{ts,tsx}', 'client/**/*.{ts,tsx}', 'test/world/**/*.ts'])

describe('the tree', () => {
  test('is there to be looked at', () => {
    expect(files.length).toBeGreaterThan(100)
  })

  test('imports only to the left', () => {
    const wrong: string[] = []
    for (const file of files) {
      const [top, room = ''] = file.split('/')
      for (const target of importsOf(file)) {
        const [targetTop, targetRoom = ''] = target.split('/')
        const isContract = target.endsWith('contract.ts')
        const isFine =
          (top === 'src' && !(room in mayImport) && targetTop !== 'test') ||
          (top === 'src' && targetTop === 'src' && Boolean(mayImport[room]?.includes(targetRoom))) ||
          (top === 'src' && targetTop === 'client' && !knowNoPages.includes(room)) ||
          (top === 'client' && (targetTop === 'client' || isContract)) ||
          (top === 'test' && targetTop === 'test') ||
          targetTop === '.build'
        const isContractFine = !file.endsWith('contract.ts') || isContract
        if (!isFine || !isContractFine) wrong.push(`${file} imports ${target}`)
      }
    }
    expect(wrong).toEqual([])
  })
})

describe('the linter', () => {
  test('refuses every import that is not allowed', () => {
    const folder = mkdtempSync(join(tmpdir(), 'imports-'))
    copyFileSync('.oxlintrc.json', join(folder, '.oxlintrc.json'))
    const expected: string[] = []
    const put = (path: string, target: string, isForbidden: boolean) => {
      const file = join(folder, path)
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, `import { thing } from '${target}'\n\nexport const other = thing\n`)
      if (isForbidden) expected.push(path)
    }
    for (const room of rooms) {
      for (const target of rooms)
        put(`src/${room}/to-${target}.ts`, `../${target}/thing.ts`, !mayImport[room]?.includes(target))
      for (const target of ['app.tsx', 'catalogue.ts', 'worker.ts'])
        put(`src/${room}/to-${target}.ts`, `../${target}`, true)
      put(`src/${room}/to-client.ts`, '../../client/components/thing.tsx', knowNoPages.includes(room))
      put(`src/${room}/to-test.ts`, '../../test/thing.ts', true)
    }
    put('client/islands/to-src.ts', '../../src/web/thing.ts', true)
    put('client/islands/to-contract.ts', '../../src/web/contract.ts', false)
    put('src/web/contract.ts', './thing.ts', true)
    put('src/accounts/contract.ts', '../web/contract.ts', false)
    put('test/world/to-src.ts', '../../src/web/thing.ts', true)
    let output = ''
    try {
      execFileSync(join(process.cwd(), 'node_modules/.bin/oxlint'), ['--format', 'json'], {
        cwd: folder,
        encoding: 'utf8',
      })
    } catch (error) {
      output = String((error as { stdout: string }).stdout)
    }
    const { diagnostics } = JSON.parse(output) as { diagnostics: { code: string; filename: string }[] }
    const refused = diagnostics.filter((one) => one.code.includes('no-restricted-imports')).map((one) => one.filename)
    expect([...new Set(refused)].toSorted()).toEqual(expected.toSorted())
  })
})
