import type { ReactNode } from 'react'
import { CsrfToken } from '../../../client/components/navbar.tsx'
import type { PageContext } from '../../web/contract.ts'
import { textField } from '../../web/parse.ts'

/** A part of the page. */
export function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="card">
      <div className="card-body stack">
        <h2>{title}</h2>
        {children}
      </div>
    </section>
  )
}

/** A form of this page. @param act the action that it posts, a key of `ownChanges` */
export function ActForm({ act, context, children }: { act: string; context: PageContext; children: ReactNode }) {
  return (
    <form className="stack" method="post">
      <CsrfToken context={context} />
      <input type="hidden" name="act" value={act} />
      {children}
    </form>
  )
}

interface ChoiceProps {
  type: 'radio' | 'checkbox'
  name: string
  value: string
  isChosen: boolean
  children: ReactNode
}

export function Choice({ type, name, value, isChosen, children }: ChoiceProps) {
  return (
    <label className="check">
      <input type={type} name={name} value={value} defaultChecked={isChosen} />
      <span>{children}</span>
    </label>
  )
}

/** The form to show as it was filled in, if it was sent by the part of the page with this action. */
export const sentBy = (act: string, sent: FormData | null): FormData | null =>
  sent !== null && textField(sent, 'act') === act ? sent : null
