import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { BenchApp } from './app/start-app.ts'
import type { GeneratedTerm } from './term-of-10000.ts'

/** A school that answers each subject of a generated term with its prepared bytes, and nothing else. */
export async function serveTerm(term: GeneratedTerm): Promise<{ url: string; close(): void }> {
  const bySubject = new Map(term.envelopes.map(({ subject, bytes }) => [subject, bytes]))
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://localhost')
    const search = bySubject.get(searchParams.get('txt_subject') ?? '')
    const answer = pathname.endsWith('/term/search')
      ? '{"fwdURL":"/StudentRegistrationSsb/ssb/classSearch/classSearch"}'
      : pathname.endsWith('/resetDataForm')
        ? 'true'
        : search
    response.writeHead(answer === undefined ? 404 : 200, { 'content-type': 'application/json' }).end(answer)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/StudentRegistrationSsb/ssb`,
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}

/** Stores the school and its subjects, as a refresh of terms and subjects would. @returns the term's id */
export async function addTerm(app: BenchApp, term: GeneratedTerm, url: string): Promise<number> {
  const { db } = app
  const far = Date.now() + 365 * 24 * 3600_000
  await db.batch([
    db
      .prepare(
        `INSERT INTO source (id, kind, name, url, time_zone, requests_per_minute, created_at)
         VALUES (1, 'banner9', 'Generated', ?, 'America/New_York', 6000, 0)`,
      )
      .bind(url),
    db.prepare(`INSERT INTO school (id, source_id, code, name) VALUES (1, 1, '', 'Generated')`),
    db.prepare(`INSERT INTO term (id, year, season, full_term_name) VALUES (1, 2026, 'fall', '2026 Fall Term')`),
    db
      .prepare(
        `INSERT INTO school_term (id, school_id, term_id, code, name, is_available, ends_at)
         VALUES (1, 1, 1, ?, 'Fall 2026', 1, ?)`,
      )
      .bind(term.code, far),
    ...term.envelopes.flatMap(({ subject }, index) => [
      db
        .prepare('INSERT INTO subject (id, school_id, key, name) VALUES (?, 1, ?, ?)')
        .bind(index + 1, subject, subject),
      db.prepare('INSERT INTO section_group (source_id, school_term_id, subject_id) VALUES (1, 1, ?)').bind(index + 1),
    ]),
  ])
  return 1
}
