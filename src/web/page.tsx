import type { ReactElement } from 'react'
import type { IslandName } from '../../client/islands/index.ts'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { contextOf } from './page-context.ts'
import type { SiteContext } from './site.ts'
import { wantsJson } from './wants-json.ts'

export interface Page {
  /** Its name in page-data. */
  page: string
  title: string
  /** One sentence for search engines and link previews. */
  description?: string
  /** Exactly what page-data and the page's island hold: JSON, public to this person. */
  props: object
  body: ReactElement
  /** 200 unless told */
  status?: ContentfulStatusCode
  /** The content island it holds (its name lets the browser fetch it sooner). A page without one loads no script. */
  island?: IslandName | boolean
}

/** Answers a page, or to a client that prefers JSON its page data. Either way the waiting flash messages count as shown. */
export async function showPage(c: SiteContext, page: Page): Promise<Response> {
  const pageData = { page: page.page, props: page.props, context: contextOf(c) }
  c.status(page.status ?? 200)
  if (c.req.method !== 'HEAD') c.set('areMessagesShown', true)
  if (wantsJson(c)) return c.json(pageData)
  const { title, description, island = false } = page
  return c.render(page.body, { title, ...(description !== undefined && { description }), pageData, island })
}
