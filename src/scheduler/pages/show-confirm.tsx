import { contextOf } from '../../web/page-context.ts'
import { showPage } from '../../web/page.tsx'
import type { SiteContext } from '../../web/site.ts'
import { ConfirmPage, type Question } from './confirm.tsx'

/** The page that asks before an act; it needs no script. */
export function showConfirm(c: SiteContext, question: Question): Promise<Response> {
  const { title, props } = question
  const body = <ConfirmPage question={question} context={contextOf(c)} />
  return showPage(c, { page: 'ConfirmAction', title, props, body })
}
