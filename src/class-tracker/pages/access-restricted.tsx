import type { PageContext } from '../../web/contract.ts'
import { LogOutForm } from './log-out-form.tsx'

/** For whoever is signed in without the right to be here. */
export function AccessRestrictedPage({ context }: { context: PageContext }) {
  return (
    <div className="narrow stack">
      <h1>Access Restricted</h1>
      <p>
        You are logged in as <strong>{context.user.name}</strong>, and this account may not use the Class Tracker. Ask a
        member of staff for access, or log in with another account.
      </p>
      <div className="row">
        <LogOutForm context={context} />
        <a href="/">Home</a>
      </div>
    </div>
  )
}
