import { contextOf } from '../../web/page-context.ts'
import { showPage } from '../../web/page.tsx'
import type { SiteContext } from '../../web/site.ts'
import { FormPage, type FormPageProps } from './form-page.tsx'

interface ShownForm extends Omit<FormPageProps, 'context'> {
  /** Its name in page-data. */
  page: string
  /** Default: 200. */
  status?: 200 | 422 | 429
}

/** Responds with a page of one form, with its errors when it is shown again. */
export function showForm(c: SiteContext, { page, status = 200, ...form }: ShownForm): Promise<Response> {
  const { title, faults = [] } = form
  return showPage(c, {
    page,
    title,
    props: {},
    status,
    faults,
    body: <FormPage context={contextOf(c)} {...form} />,
  })
}
