import { Button } from '../../../client/components/button.tsx'
import { PostForm } from '../../../client/components/post-form.tsx'
import type { PageContext } from '../../web/contract.ts'

/** A form and not a link, because a GET changes nothing. */
export function LogOutForm({ context, kind = 'plain' }: { context: PageContext; kind?: 'plain' | 'primary' }) {
  return (
    <PostForm context={context} action="/class_tracker/logout_view/">
      <Button kind={kind} type="submit">
        Log Out
      </Button>
    </PostForm>
  )
}

/** Asks before logging out, because a GET changes nothing. */
export function LogoutPage({ context }: { context: PageContext }) {
  return (
    <div className="narrow stack single">
      <h1>Log out?</h1>
      <p>You are logged in as {context.user.name}.</p>
      <div className="row">
        <LogOutForm context={context} kind="primary" />
        <a href="/class_tracker/">Back to the Class Tracker</a>
      </div>
    </div>
  )
}
