import type { ReactNode } from 'react'
import { LinkButton } from './button.tsx'

/** A link to what follows where the number of pages is not known. */
export function NextPage({ href, about, children = 'Older' }: { href: string; about?: ReactNode; children?: string }) {
  return (
    <nav className="pagination" aria-label="Pages">
      {about}
      <LinkButton href={href} rel="next">
        {children}
      </LinkButton>
    </nav>
  )
}
