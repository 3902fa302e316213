import { startApp } from './app/start-app.ts'
import { measureInChild } from './cpu/child.ts'
import type { Part } from './report.ts'
import { generateTerm } from './term-of-10000.ts'
import { addTerm, serveTerm } from './term-server.ts'
import { measureWrites } from './write-counts.ts'

/** A term of 10 000 Banner sections: CPU against `JSON.parse` of the same bytes, and what its refresh writes. */
export async function measureBanner(): Promise<Part> {
  const cpu = await measureInChild('banner')
  const term = generateTerm()
  const school = await serveTerm(term)
  const app = await startApp()
  try {
    const writes = await measureWrites(app, await addTerm(app, term, school.url))
    const megabytes = (term.bytes / 1e6).toFixed(1)
    return {
      name: `(a) Banner: a term of ${term.sections} sections in ${term.envelopes.length} answers, ${megabytes} MB`,
      figures: [...cpu, ...writes],
      notes: [
        'CPU time, user and system. JSON.parse takes text, so its side decodes the same bytes first: both begin with bytes.',
        'The former state is read twice: for the whole term, which this school refuses to list, then for its groups.',
      ],
    }
  } finally {
    await app.close()
    school.close()
  }
}
