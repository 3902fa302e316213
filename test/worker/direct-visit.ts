import { createExecutionContext, waitOnExecutionContext } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { forgetVersions } from '../../src/web/edge/site-version.ts'
import worker from '../../src/worker.ts'
import { countedReads, type Reads } from './counted-reads.ts'
import { site } from './visitor.ts'

export interface Visit {
  response: Response
  html: string
  reads: Reads
  /** Whether it came from the edge: hit, miss, or null for a page that is not cached. */
  edge: string | null
}

/** {@link visitSoon} in an isolate that knows no version yet. */
export function visit(...[path, asked, bindings]: Parameters<typeof visitSoon>): Promise<Visit> {
  forgetVersions()
  return visitSoon(path, asked, bindings)
}

/**
 * One request directly to the Worker, including all work it left for later.
 * @param asked as `fetch` takes it, with the edge's own properties
 * @param bindings instead of the Worker's own
 */
export async function visitSoon(
  path: string,
  asked: RequestInit<RequestInitCfProperties> = {},
  bindings: Partial<Env> = {},
): Promise<Visit> {
  const { db, reads } = countedReads()
  const context = createExecutionContext()
  const headers = new Headers(asked.headers)
  if (!headers.has('accept')) headers.set('accept', 'text/html')
  const request = new Request(site + path, { redirect: 'manual', ...asked, headers })
  const response = await worker.fetch(
    request as Parameters<typeof worker.fetch>[0],
    { ...env, DB: db, ...bindings },
    context,
  )
  const html = await response.text()
  await waitOnExecutionContext(context)
  return { response, html, reads, edge: response.headers.get('x-edge-cache') }
}

/** The token in the page-data of a page. */
export function tokenIn(html: string): string {
  return /"csrf_token":"([^"]*)"/.exec(html)?.[1] ?? ''
}

/** A page without its token: what two visitors have in common. */
export function withoutToken(html: string): string {
  return html.replaceAll(tokenIn(html), 'TOKEN')
}
