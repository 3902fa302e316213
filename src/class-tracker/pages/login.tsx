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
      <ErrorSummary errors={message === '' ? [] : [{ message, fieldId: 'username' }]} />
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
