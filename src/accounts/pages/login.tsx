import { Button, LinkButton } from '../../../client/components/button.tsx'
import { DiscordMark } from '../../../client/components/discord-mark.tsx'
import { CsrfToken } from '../../../client/components/navbar.tsx'
import type { PageContext } from '../../web/contract.ts'
import { Credentials } from './credentials.tsx'
import { Links } from './form-page.tsx'

interface LoginPageProps {
  context: PageContext
  login: string
  remember: boolean
  next: string
  /** Why it is shown again; '' the first time. */
  message: string
}

export function LoginPage({ context, login, remember, next, message }: LoginPageProps) {
  const isRefused = message !== ''
  const query = next === '' ? '' : `?${new URLSearchParams({ next })}`
  return (
    <div className="narrow stack single">
      <h1>Log in</h1>
      {isRefused && (
        <p className="error-summary" id="refused" role="alert">
          {message}
        </p>
      )}
      <div className="card card-body stack">
        <form className="stack" method="post" action="/accounts/login/">
          <CsrfToken context={context} />
          <input type="hidden" name="next" value={next} />
          <Credentials
            name="login"
            label="Username or email"
            typed={login}
            isRefused={isRefused}
            {...(isRefused && { describedBy: 'refused' })}
          />
          <div className="check">
            <input id="remember" name="remember" type="checkbox" defaultChecked={remember} />
            <label htmlFor="remember">Remember me on this device</label>
          </div>
          <Button kind="primary" type="submit" large wide>
            Log in
          </Button>
        </form>
        <p className="or muted meta">or</p>
        <LinkButton kind="discord" large wide href={`/accounts/discord/login/${query}`}>
          <DiscordMark />
          Log in with Discord
        </LinkButton>
      </div>
      <Links links={otherWays(query)} />
    </div>
  )
}

/** Links to the other ways to log in. @param query preserves where the person was going */
function otherWays(query: string): { href: string; label: string }[] {
  return [
    { href: `/accounts/login/code/${query}`, label: 'Log in with a code' },
    { href: `/accounts/signup/${query}`, label: 'Sign up' },
  ]
}
