import type { ReactNode } from 'react'
import { Links, yourAccount, type PageLink } from './form-page.tsx'

interface AccountPageProps {
  title: string
  children: ReactNode
  /** Below everything else; default: to the overview of the account. */
  links?: readonly PageLink[]
}

/** A page about a part of a user's own account; FormPage is for a single form. */
export function AccountPage({ title, children, links = [yourAccount] }: AccountPageProps) {
  return (
    <div className="medium stack">
      <h1>{title}</h1>
      {children}
      <Links links={links} />
    </div>
  )
}
