import type { PageContext } from '../../web/contract.ts'
import { LogOutForm } from './log-out-form.tsx'

/** What a GET of the sign-out address shows: it only asks. */
export function LogoutPage({ context }: { context: PageContext }) {
  return (
    <div className="narrow stack">
      <h1>Log out?</h1>
      <p>You are logged in as {context.user.name}.</p>
      <div className="row">
        <LogOutForm context={context} kind="primary" />
        <a href="/class_tracker/">Back to the Class Tracker</a>
      </div>
    </div>
  )
}
