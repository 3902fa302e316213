import type { ReactNode } from 'react'
import { Links } from './form-page.tsx'

/** A page with a message and links. */
export function NoticePage({
  title,
  children,
  links,
}: {
  title: string
  children: ReactNode
  links: readonly { href: string; label: string }[]
}) {
  return (
    <div className="narrow stack single">
      <h1>{title}</h1>
      {children}
      <Links links={links} />
    </div>
  )
}
