import type { ReactNode } from 'react'
import { truncated } from '../../lib/text.ts'
import type { Change } from '../audit/history.ts'

/** Fields with what they were and what they became; `children` is a last item. */
export function ChangeList({ changes, children }: { changes: readonly Change[]; children?: ReactNode }) {
  return (
    <ul className="changes">
      {changes.map(({ field, before, after }) => (
        <li key={field}>
          <span className="muted">{field}</span>{' '}
          {before === '' ? null : (
            <>
              <del>{truncated(before)}</del> <span aria-hidden="true">→</span>{' '}
            </>
          )}
          {after === '' ? <span className="muted">empty</span> : <ins>{truncated(after)}</ins>}
        </li>
      ))}
      {children}
    </ul>
  )
}
