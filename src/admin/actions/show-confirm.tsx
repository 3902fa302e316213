import { contextOf } from '../../web/page-context.ts'
import { showPage } from '../../web/page.tsx'
import type { SiteContext } from '../../web/site.ts'
import { ConfirmPage, type ConfirmPageProps } from '../pages/confirm.tsx'
import { listPath } from '../table-parts.ts'
import type { Chosen } from './chosen.ts'

interface Question extends Pick<
  ConfirmPageProps,
  'question' | 'rows' | 'company' | 'controls' | 'errors' | 'isDangerous'
> {
  action: string
  label: string
  status: 200 | 409 | 422
}

/** Asks before something is done to chosen rows; the answer comes back with them. */
export function showConfirm(
  c: SiteContext,
  { table, keys, back }: Pick<Chosen, 'table' | 'keys' | 'back'>,
  { action, label, status, ...asked }: Question,
): Promise<Response> {
  return showPage(c, {
    page: 'AdminConfirm',
    title: label,
    props: { table: table.name, action, keys },
    status,
    body: (
      <ConfirmPage
        context={contextOf(c)}
        table={table}
        title={label}
        {...asked}
        action={`${listPath(table)}act/`}
        hidden={[
          ['act', action],
          ['back', back],
          ['confirmed', '1'],
          ...keys.map((key) => ['key', String(key)] as const),
        ]}
        submit={label}
        back={back}
      />
    ),
  })
}
