import type { AdminKey } from '../../web/admin-change.ts'
import { hashOf } from '../../web/security/signing.ts'
import { flash } from '../../web/session/flash.ts'
import { contextOf, showPage } from '../../web/page/page.tsx'
import { textField } from '../../web/parse.ts'
import type { SiteContext } from '../../web/site.ts'
import { ConfirmPage, type ConfirmPageProps } from '../pages/confirm.tsx'
import type { Table, Tables } from '../table.ts'

/** The selected rows, with the form that says what to do with them. */
export interface Chosen {
  tables: Tables
  table: Table
  keys: readonly AdminKey[]
  form: FormData
  back: string
  /** It was sent after the session had expired, so it is asked about again. */
  isExpired: boolean
}

export const expiredMessage = 'You were logged out before this was done. Check it and confirm it again.'

interface Question extends Pick<
  ConfirmPageProps,
  'question' | 'rows' | 'warnings' | 'affected' | 'controls' | 'errors' | 'isDangerous'
> {
  action: string
  label: string
  status: 200 | 409 | 422
  /** What is said instead if the only row is deleted from its own page. `was`: the state of the row that it shows. */
  onPage?: { title: string; heading: string; was: string; cancel: string }
}

export const changedBefore = 'This was changed after you opened the page. Review it before you continue.'

type Named = Pick<ConfirmPageProps, 'rows'> & Partial<Pick<ConfirmPageProps, 'warnings' | 'affected'>>

/**
 * What a question names, as the form field `seen`: a row that was deleted may have given its key to another one. Of the
 * rows that are deleted or changed along with them, only the kinds are compared: their numbers may change at any moment.
 */
const seenOf = ({ rows, warnings = [], affected = [] }: Named): Promise<string> =>
  hashOf(JSON.stringify([rows, warnings, affected.map(({ label }) => label)]))

/** Whether the person confirmed a question that named something else. A request that was never asked names nothing. */
export async function isOutdated(form: FormData, named: Named): Promise<boolean> {
  const seen = textField(form, 'seen')
  return seen !== '' && seen !== (await seenOf(named))
}

/** Asks before an action on chosen rows; the confirming form carries them. */
export async function showConfirm(
  c: SiteContext,
  { table, keys, back }: Pick<Chosen, 'table' | 'keys' | 'back'>,
  { action, label, status, onPage, ...asked }: Question,
): Promise<Response> {
  return showPage(c, {
    page: onPage ? 'AdminDelete' : 'AdminConfirm',
    title: onPage?.title ?? label,
    props: onPage ? { table: table.name, key: keys[0], affected: asked.affected } : { table: table.name, action, keys },
    status,
    body: (
      <ConfirmPage
        context={contextOf(c)}
        table={table}
        title={onPage?.heading ?? label}
        {...asked}
        hidden={[
          ['act', action],
          ['back', back],
          ['confirmed', '1'],
          ...(onPage ? [['was', onPage.was] as const] : []),
          ['seen', await seenOf(asked)],
          ...keys.map((key) => ['key', String(key)] as const),
        ]}
        submit={label}
        back={onPage?.cancel ?? back}
      />
    ),
  })
}

/** Returns to the page from which an action was requested, with its outcome as a message. */
export function sendBack(
  c: SiteContext,
  back: string,
  level: 'success' | 'error',
  messages: readonly string[],
): Response {
  for (const message of messages) flash(c, level, message)
  return c.redirect(back, 303)
}
