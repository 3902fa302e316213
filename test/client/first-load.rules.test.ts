import { execFile } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { beforeAll, describe, expect, test } from 'vitest'

interface Manifest {
  'main.js': string
  'style.css': string
  'staff.css': string
  font: string
  islands: Record<string, string[]>
}

const root = fileURLToPath(new URL('../..', import.meta.url))
const folder = '.build/first-load'
/** bytes, gzip */
const mostScript = 85 * 1024
const mostDialog = 60 * 1024
const mostStyle = 12.5 * 1024
const mostStaffStyle = 9 * 1024
/** bytes, uncompressed: woff2 is compressed already */
const mostFont = 50_000
const mostRequests = 8

let manifest: Manifest

async function sizeOf(addresses: readonly string[]): Promise<number> {
  const files = await Promise.all(addresses.map((address) => readFile(join(root, folder, 'client', address))))
  return files.reduce((sum, bytes) => sum + gzipSync(bytes, { level: 9 }).length, 0)
}

/** A script and all its static imports, according to its own text. */
async function withImports(name: string, seen = new Set<string>()): Promise<Set<string>> {
  if (seen.has(name)) return seen
  seen.add(name)
  const text = await readFile(join(root, folder, 'client/assets', name), 'utf8')
  for (const [, next] of text.matchAll(/(?:from|import)"\.\/([\w.-]+\.js)"/g)) {
    if (next !== undefined) await withImports(next, seen)
  }
  return seen
}

beforeAll(async () => {
  await promisify(execFile)(process.execPath, ['client/build.ts', '--into', folder], { cwd: root })
  manifest = JSON.parse(await readFile(join(root, folder, 'manifest.json'), 'utf8')) as Manifest
})

describe('a first visit loads', () => {
  test('a handful of scripts, 85 KB at most', async () => {
    expect(Object.keys(manifest.islands)).toContain('classcords/explore')
    for (const [name, chunks] of Object.entries(manifest.islands)) {
      const scripts = [manifest['main.js'], ...chunks]
      expect(scripts.length, name).toBeLessThanOrEqual(mostRequests)
      expect(await sizeOf(scripts), name).toBeLessThanOrEqual(mostScript)
    }
  })

  test('every script the page needs, each once', async () => {
    const names = await readdir(join(root, folder, 'client/assets'))
    for (const [island, chunks] of Object.entries(manifest.islands)) {
      const own = names.find(
        (name) => chunks.includes(`/assets/${name}`) && name.startsWith(island.split('/')[1] ?? ''),
      )
      const needed = await withImports(own ?? island)
      const main = manifest['main.js'].replace('/assets/', '')
      expect([main, ...chunks.map((chunk) => chunk.replace('/assets/', ''))].toSorted(), island).toEqual(
        [...(await withImports(main, needed))].toSorted(),
      )
    }
  })

  test('no dialog of the directory, which is loaded before it is opened', async () => {
    const names = await readdir(join(root, folder, 'client/assets'))
    const dialogs = names.find((name) => name.startsWith('directory-dialogs-')) ?? ''
    for (const page of ['classcords/welcome', 'classcords/explore']) {
      const first = new Set([manifest['main.js'], ...(manifest.islands[page] ?? [])])
      expect(first).not.toContain(`/assets/${dialogs}`)
      const later = [...(await withImports(dialogs))].map((name) => `/assets/${name}`).filter((one) => !first.has(one))
      expect(await sizeOf(later), page).toBeLessThanOrEqual(mostDialog)
    }
  })

  test('one font, with its license beside it', async () => {
    const fonts = (await readdir(join(root, folder, 'client/assets'))).filter((name) => name.endsWith('.woff2'))
    expect(fonts.map((name) => `/assets/${name}`)).toEqual([manifest.font])
    expect((await readFile(join(root, folder, 'client', manifest.font))).length).toBeLessThanOrEqual(mostFont)
    expect(await readFile(join(root, folder, 'client/inter-license.txt'), 'utf8')).toContain('SIL OPEN FONT LICENSE')
  })

  test('12.5 KB of style at most, and 9 KB more on staff pages', async () => {
    expect(await sizeOf([manifest['style.css']])).toBeLessThanOrEqual(mostStyle)
    expect(await sizeOf([manifest['staff.css']])).toBeLessThanOrEqual(mostStaffStyle)
  })
})
