import { contextOf, showPage } from '../../web/page/page.tsx'
import type { SiteContext } from '../../web/site.ts'
import { FormPage, type FormPageProps, Links, type PageLink } from './form-page.tsx'
import type { FormError } from '../../web/refusal.ts'
import { LinkButton } from '../../../client/components/button.tsx'
import type { ReactNode } from 'react'
import type { ContentfulStatusCode } from 'hono/utils/http-status'

/** The errors of a posted form, and the status of the page that shows it. */
export interface FormErrors {
  errors: readonly FormError[]
  status: 200 | 422 | 429
}

/** A form that is shown for the first time. */
export const noErrors: FormErrors = { errors: [], status: 200 }

/** A form that is shown again because of its content. */
export const invalid = (...errors: FormError[]): FormErrors => ({ errors, status: 422 })

/** A form that a limit refused; sets Retry-After. @param retryAfter seconds */
export function tooManyRequests(
  c: SiteContext,
  retryAfter: number,
  message = retryAfter <= 90
    ? 'Too many requests. Please wait a moment and try again.'
    : `Too many requests. Please try again in ${Math.ceil(retryAfter / 60)} minutes.`,
): FormErrors {
  c.header('retry-after', String(retryAfter))
  return { errors: [{ message }], status: 429 }
}

interface ShownForm extends Omit<FormPageProps, 'context' | 'errors'>, FormErrors {
  /** Its name in page-data. */
  page: string
}

export function showForm(c: SiteContext, { page, status, ...form }: ShownForm): Promise<Response> {
  const { title, errors } = form
  return showPage(c, {
    page,
    title,
    status,
    errors,
    body: <FormPage context={contextOf(c)} {...form} />,
  })
}

interface NoticePage {
  /** Its name in page-data. */
  page: string
  title: string
  /** Default: 200. */
  status?: ContentfulStatusCode
  /** Why it did not work. A client that prefers JSON gets only this. */
  error?: string
  text?: ReactNode
  /** The first is what to do next. */
  links: readonly PageLink[]
}

/** A page that tells something, with the next act in its card. */
export function showNotice(c: SiteContext, { page, title, status, error, text, links }: NoticePage): Promise<Response> {
  const [next, ...others] = links
  return showPage(c, {
    page,
    title,
    ...(status !== undefined && { status }),
    errors: error === undefined ? [] : [{ message: error }],
    body: (
      <div className="narrow stack single">
        <h1>{title}</h1>
        <div className="card card-body stack">
          {error === undefined ? null : <p>{error}</p>}
          {text}
          {next && (
            <LinkButton kind="primary" large wide href={next.href}>
              {next.label}
            </LinkButton>
          )}
        </div>
        <Links links={others} />
      </div>
    ),
  })
}
