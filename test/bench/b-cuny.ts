import { CUNY_SOURCE } from '../world/schools/roster.ts'
import { addSource, learnSubjects } from './app/sources.ts'
import { startApp } from './app/start-app.ts'
import { measureInChild } from './cpu/child.ts'
import { cunySize } from './cpu/cuny.ts'
import type { Part } from './report.ts'
import { measureWrites } from './write-counts.ts'

/** A term of 10 000 CUNY sections: CPU against the bare tokenizer over the same bytes, and what its refresh writes. */
export async function measureCuny(): Promise<Part> {
  const cpu = await measureInChild('cuny')
  const app = await startApp({ size: cunySize })
  try {
    const source = await addSource(app, CUNY_SOURCE, 60)
    await app.db.prepare('UPDATE source SET requests_per_minute = 6000').run()
    const writes = await measureWrites(app, await learnSubjects(app, [source]))
    return {
      name: '(b) CUNY: a term of 10 080 sections',
      figures: [...cpu, ...writes],
      notes: [
        'Both sides begin with bytes and decode them. The bare tokenizer is htmlparser2’s as it comes, with empty handlers; the adapter decodes entities itself, only in the texts it keeps.',
      ],
    }
  } finally {
    await app.close()
  }
}
