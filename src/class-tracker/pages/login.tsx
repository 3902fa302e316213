import { Button } from '../../../client/components/button.tsx'
import { ErrorSummary } from '../../../client/components/error-summary.tsx'
import { PostForm } from '../../../client/components/post-form.tsx'
import { withNext } from '../../accounts/next.ts'
import { Credentials } from '../../accounts/pages/credentials.tsx'
import { Links } from '../../accounts/pages/form-page.tsx'
import type { PageContext } from '../../web/contract.ts'

interface LoginPageProps {
  context: PageContext
  /** What was typed in the last attempt. */
  username: string
  /** Where to go after logging in; '' for the class tracker itself. */
  next: string
  /** Why the last attempt was refused; '' on the first visit. */
  message: string
}

export function LoginPage({ context, username, next, message }: LoginPageProps) {
  return (
    <div className="narrow stack single">
      <h1>Log in to the Class Tracker</h1>
      <ErrorSummary id="refused" errors={message === '' ? [] : [{ message, fieldId: 'username' }]} />
      <PostForm context={context} action="/class_tracker/login_view/" className="card card-body stack">
        <input type="hidden" name="next" value={next} />
        <Credentials name="username" label="Username" typed={username} isRefused={message !== ''} />
        <Button kind="primary" type="submit" large wide>
          Log in
        </Button>
      </PostForm>
      <Links
        links={[{ href: withNext('/accounts/login/code/', next || '/class_tracker/'), label: 'Log in with a code' }]}
      />
    </div>
  )
}

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
