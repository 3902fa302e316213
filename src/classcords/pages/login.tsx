import { SignInForm } from '../../../client/islands/classcords/sign-in-form.tsx'
import { Island } from '../../web/island.tsx'
import type { PageContext } from '../../web/contract.ts'
import type { ClasscordsLoginProps } from '../contract.ts'

interface LoginPageProps {
  props: ClasscordsLoginProps
  context: PageContext
  /** Where to go after signing in; '' for the directory's own choice. */
  next: string
}

/**
 * Sign-in of the directory. Only with a referral is there work for a script: without one the page needs no island.
 * `next` stands outside the form, and belongs to it by its id.
 */
export function LoginPage({ props, context, next }: LoginPageProps) {
  return (
    <div className="narrow stack">
      <h1>Sign in to Class Cords</h1>
      <div className="card card-body stack">
        {context.user.is_authenticated && (
          <p>
            {`You are logged in as ${context.user.name}, and no Discord account is connected. Sign in with Discord to connect it.`}
          </p>
        )}
        <p>
          {props.referral === null
            ? 'Use your Discord account. New here? You need a referral, or to be in one of the trusted servers.'
            : 'Use your Discord account. Your referral is taken along.'}
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
