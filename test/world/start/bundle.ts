import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { runWrangler } from './wrangler.ts'

/** The bundle of a deployment, with another entry than its own if given. Nothing is written into the repository. */
export async function bundle(entry = 'src/worker.ts'): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'class-cords-bundle-'))
  try {
    await runWrangler(['deploy', entry, '--dry-run', '--outdir', folder], 'Bundling the app')
    return await readFile(join(folder, `${basename(entry, '.ts')}.js`), 'utf8')
  } finally {
    await rm(folder, { recursive: true })
  }
}
