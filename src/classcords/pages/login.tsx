import { SignInForm } from '../../../client/islands/classcords/login.tsx'
import { Island } from '../../web/island.tsx'
import type { PageContext } from '../../web/contract.ts'
import type { ClasscordsLoginProps } from '../contract.ts'

interface LoginPageProps {
  props: ClasscordsLoginProps
  context: PageContext
  /** Where to go after logging in; '' for the directory's own choice. */
  next: string
}

/**
 * The directory's login page. Only a referral needs a script: without one the page has no island. `next` is outside the form and
 * belongs to it by the form's id.
 */
export function LoginPage({ props, context, next }: LoginPageProps) {
  return (
    <div className="narrow stack">
      <h1>Log in to Class Cords</h1>
      <div className="card card-body stack">
        {context.user.is_authenticated && (
          <p>
            {`You are logged in as ${context.user.name}, but no Discord account is connected. Sign in with Discord to connect one.`}
          </p>
        )}
        <p>
          {props.referral === null
            ? 'Use your Discord account. New here? You need a referral or membership in a trusted server.'
            : 'Use your Discord account. Your invitation will be applied.'}
        </p>
        {next !== '' && <input type="hidden" name="next" value={next} form="discord-sign-in" />}
        {props.referral === null ? (
          <SignInForm context={context} referral={null} />
        ) : (
          <Island name="classcords/login" props={props} context={context} />
        )}
      </div>
      <p className="small">
        <a href="/classcords/">Look around first</a>
      </p>
    </div>
  )
}
