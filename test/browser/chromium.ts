import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { inflate } from '@sparticuz/chromium'
import { chromium, type Browser, type BrowserContext, type BrowserContextOptions } from 'playwright-core'
import { ROOT } from '../world/start/settings.ts'

const noBrowser =
  'No Chromium to test in: the one npm brings runs on Linux x64. Elsewhere name an installed one: CHROME=/path/to/chrome npm test'

/** A background Chromium that makes no network requests of its own. */
const quiet = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/**
 * Starts the Chromium named by `CHROME`, otherwise npm's with its own libraries. Throws a sentence if there is none.
 * @param words additional command-line flags
 */
export async function launchChromium(...words: string[]): Promise<Browser> {
  const args = [...quiet, ...words]
  if (fullChromium) {
    if (!existsSync(fullChromium)) throw new Error(`CHROME names ${fullChromium}, and there is no such file.`)
    return chromium.launch({ executablePath: fullChromium, args })
  }
  if (process.platform !== 'linux' || process.arch !== 'x64') throw new Error(noBrowser)
  const folder = await unpacked()
  const libraries = [join(folder, 'al2023', 'lib'), process.env['LD_LIBRARY_PATH']].filter(Boolean).join(':')
  const executablePath = join(folder, 'chromium')
  try {
    // The system's own libraries first; the packed ones only if some are missing.
    return await chromium.launch({ executablePath, args })
  } catch {
    return await chromium.launch({
      executablePath,
      args,
      env: { ...process.env, LD_LIBRARY_PATH: libraries } as Record<string, string>,
    })
  }
}

/** The Chromium that `CHROME` names, with every browser feature; npm's lacks notifications. */
export const fullChromium = process.env['CHROME'] || undefined

/** A window of the full Chromium with a separate profile; a private window cannot subscribe to notifications. */
export async function openProfile(options: BrowserContextOptions, ...words: string[]): Promise<BrowserContext> {
  if (fullChromium === undefined) throw new Error('CHROME names no full Chromium.')
  return chromium.launchPersistentContext('', { ...options, executablePath: fullChromium, args: [...quiet, ...words] })
}

/** The folder with this version's browser and libraries, unpacked once; a partly unpacked one never has this name. */
async function unpacked(): Promise<string> {
  const manifest = createRequire(import.meta.url)
    .resolve('@sparticuz/chromium')
    .replace(/build\/.*$/, 'package.json')
  const { version } = JSON.parse(await readFile(manifest, 'utf8')) as { version: string }
  const build = join(ROOT, '.build')
  const folder = join(build, `chromium-${version}`)
  if (existsSync(join(folder, 'chromium'))) return folder
  const packed = join(dirname(manifest), 'bin')
  await mkdir(build, { recursive: true })
  const fresh = await mkdtemp(join(build, 'unpack-'))
  const former = process.env['TMPDIR']
  try {
    process.env['TMPDIR'] = fresh // where the package unpacks to
    await mkdir(join(fresh, 'al2023'), { recursive: true })
    await Promise.all(['chromium.br', 'al2023.tar.br'].map((archive) => inflate(join(packed, archive))))
  } finally {
    if (former === undefined) delete process.env['TMPDIR']
    else process.env['TMPDIR'] = former
  }
  try {
    await rename(fresh, folder)
  } catch (error) {
    await rm(fresh, { recursive: true, force: true })
    if (!existsSync(join(folder, 'chromium'))) throw error // another process unpacked it in the meantime
  }
  return folder
}
