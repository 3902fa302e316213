import type { ReactNode } from 'react'
import { Button } from '../../../client/components/button.tsx'
import { PostForm } from '../../../client/components/post-form.tsx'
import type { PageContext } from '../../web/contract.ts'
import { textField } from '../../web/parse.ts'
import type { OwnPageProps } from './contract.ts'

/** What each part of the page is made from. */
export interface OwnPageView {
  props: OwnPageProps
  context: PageContext
  /** ms since epoch */
  now: number
  /** The form to show as it was filled in, because it was refused. */
  sent: FormData | null
  /** Why it was refused; '' if it was not. */
  error: string
}

/** @param id where a change made in this part leads back to */
export function Part({ id, title, children }: { id?: string; title: string; children: ReactNode }) {
  return (
    <section className="card" id={id}>
      <div className="card-body stack">
        <h2>{title}</h2>
        {children}
      </div>
    </section>
  )
}

interface ActFormProps {
  /** The action that it posts, a key of `ownActs`. */
  act: string
  context: PageContext
  /** The label of its button, unless it has buttons of its own. */
  button?: string
  kind?: 'danger'
  children?: ReactNode
}

export function ActForm({ act, context, button, kind, children }: ActFormProps) {
  return (
    // Without a part's name, which the address may end in: a refused form opens at its first wrong field.
    <PostForm context={context} action={context.path} className="stack">
      <input type="hidden" name="act" value={act} />
      {children}
      {button && (
        <div>
          <Button type="submit" kind={kind}>
            {button}
          </Button>
        </div>
      )}
    </PostForm>
  )
}

interface ChoiceProps {
  type: 'radio' | 'checkbox'
  name: string
  value: string
  isChosen: boolean
  isDisabled?: boolean
  children: ReactNode
}

export function Choice({ type, name, value, isChosen, isDisabled, children }: ChoiceProps) {
  return (
    <label className="check">
      <input type={type} name={name} value={value} defaultChecked={isChosen} disabled={isDisabled} />
      <span>{children}</span>
    </label>
  )
}

/** The form to show as it was filled in, if it was sent by the part of the page with this action. */
export const sentBy = (act: string, sent: FormData | null): FormData | null =>
  sent !== null && textField(sent, 'act') === act ? sent : null
