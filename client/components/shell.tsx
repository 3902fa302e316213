import type { ReactNode } from 'react'
import type { PageContext } from '../../src/web/contract.ts'
import { MessagesBanner } from './messages-banner.tsx'
import { Navbar } from './navbar.tsx'

/** The parts of `body` that every page has: skip link, bar, messages, and the one `main` around the content. */
export function Shell({ context, children }: { context: PageContext; children: ReactNode }) {
  return (
    <>
      <a className="skip-link" href="#main">
        Skip to content
      </a>
      <Navbar context={context} />
      <MessagesBanner messages={context.messages} />
      <main id="main" className="page" tabIndex={-1}>
        {children}
      </main>
    </>
  )
}
