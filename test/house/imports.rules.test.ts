import { execFileSync } from 'node:child_process'
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync, copyFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, normalize } from 'node:path'
import { describe, expect, test } from 'vitest'
import { entryFiles, importRules, withoutPages, mayImport, modules, trackerFolders } from './modules.ts'

const importOf = /(?:from|import)\s*\(?\s*'(\.[^']+)'/g
function importsOf(file: string): string[] {
  return [...readFileSync(file, 'utf8').matchAll(importOf)].map((match) =>
    normalize(join(dirname(file), match[1] ?? '')),
  )
}
const files = globSync(['src/**/*.{ts,tsx}', 'client/**/*.{ts,tsx}', 'test/world/**/*.ts'])

const isAllowed = (name: string, target: string): boolean => name === target || (mayImport[name] ?? []).includes(target)

describe('the modules', () => {
  test('exist', () => {
    expect(files.length).toBeGreaterThan(100)
  })

  test('import only from the left', () => {
    const wrong: string[] = []
    for (const file of files) {
      const [top, name = ''] = file.split('/')
      for (const target of importsOf(file)) {
        const [targetTop, targetName = ''] = target.split('/')
        const isContract = target.endsWith('contract.ts')
        const isFine =
          (top === 'src' && !modules.includes(name) && targetTop !== 'test') ||
          (top === 'src' && targetTop === 'src' && isAllowed(name, targetName)) ||
          (top === 'src' && targetTop === 'client' && !withoutPages.includes(name)) ||
          (top === 'client' && (targetTop === 'client' || isContract)) ||
          (top === 'test' && targetTop === 'test') ||
          targetTop === '.build'
        const isContractFine = !file.endsWith('contract.ts') || isContract
        if (!isFine || !isContractFine) wrong.push(`${file} imports ${target}`)
      }
    }
    expect(wrong).toEqual([])
  })

  test('import only from the left inside class-tracker', () => {
    const placeOf = (path: string) => trackerFolders.indexOf(path.split('/')[2] ?? '')
    const inOrder = files.filter((file) => file.startsWith('src/class-tracker/') && placeOf(file) >= 0)
    expect(new Set(inOrder.map(placeOf)).size).toBe(trackerFolders.length)
    const wrong = inOrder.flatMap((file) =>
      importsOf(file).flatMap((target) =>
        target.startsWith('src/class-tracker/') && placeOf(target) > placeOf(file) ? [`${file} imports ${target}`] : [],
      ),
    )
    expect(wrong).toEqual([])
  })
})

describe('the linter', () => {
  test('has the rules generated from the list of modules: `npm run import-rules` writes them', () => {
    const { overrides }: { overrides: unknown } = JSON.parse(readFileSync('.oxlintrc.json', 'utf8'))
    expect(overrides).toEqual(importRules())
  })

  test('rejects every import that is not allowed', () => {
    const folder = mkdtempSync(join(tmpdir(), 'imports-'))
    copyFileSync('.oxlintrc.json', join(folder, '.oxlintrc.json'))
    const expected: string[] = []
    const put = (path: string, target: string, isForbidden: boolean) => {
      const file = join(folder, path)
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, `import { thing } from '${target}'\n\nexport const other = thing\n`)
      if (isForbidden) expected.push(path)
    }
    for (const name of modules) {
      for (const target of modules)
        put(`src/${name}/to-${target}.ts`, `../${target}/thing.ts`, !isAllowed(name, target))
      for (const target of entryFiles) put(`src/${name}/to-${target}.ts`, `../${target}`, true)
      put(`src/${name}/to-client.ts`, '../../client/components/thing.tsx', withoutPages.includes(name))
      put(`src/${name}/to-test.ts`, '../../test/thing.ts', true)
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
    } finally {
      rmSync(folder, { recursive: true })
    }
    const { diagnostics } = JSON.parse(output) as { diagnostics: { code: string; filename: string }[] }
    const refused = diagnostics.filter((one) => one.code.includes('no-restricted-imports')).map((one) => one.filename)
    expect([...new Set(refused)].toSorted()).toEqual(expected.toSorted())
  })
})
