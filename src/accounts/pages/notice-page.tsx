import type { ReactNode } from 'react'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { showPage } from '../../web/page/page.tsx'
import type { SiteContext } from '../../web/site.ts'
import { Links } from './form-page.tsx'

interface Notice {
  /** Its name in page-data. */
  page: string
  title: string
  /** Default: 200. */
  status?: ContentfulStatusCode
  /** Why it did not work. A client that prefers JSON gets only this. */
  error?: string
  text?: ReactNode
  links: readonly { href: string; label: string }[]
}

export function showNotice(c: SiteContext, { page, title, status, error, text, links }: Notice): Promise<Response> {
  return showPage(c, {
    page,
    title,
    ...(status !== undefined && { status }),
    errors: error === undefined ? [] : [{ message: error }],
    body: (
      <div className="narrow stack single">
        <h1>{title}</h1>
        {error === undefined ? null : <p>{error}</p>}
        {text}
        <Links links={links} />
      </div>
    ),
  })
}
