import { Button, LinkButton } from '../../../client/components/button.tsx'
import { DiscordMark } from '../../../client/components/discord-mark.tsx'
import { ErrorSummary } from '../../../client/components/error-summary.tsx'
import { PostForm } from '../../../client/components/post-form.tsx'
import type { PageContext } from '../../web/contract.ts'
import { withNext } from '../next.ts'
import { Credentials } from './credentials.tsx'
import { Links } from './form-page.tsx'
import { codeLoginPath, loginPath, signUpPath, discordLoginPath } from '../paths.ts'

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
  return (
    <div className="narrow stack single">
      <h1>Log in</h1>
      <ErrorSummary id="refused" errors={isRefused ? [{ message, fieldId: 'login' }] : []} />
      <div className="card card-body stack">
        <PostForm context={context} className="stack" action={loginPath}>
          <input type="hidden" name="next" value={next} />
          <Credentials name="login" label="Username or email" typed={login} isRefused={isRefused} />
          <div className="check">
            <input id="remember" name="remember" type="checkbox" defaultChecked={remember} />
            <label htmlFor="remember">Remember me on this device</label>
          </div>
          <Button kind="primary" type="submit" large wide>
            Log in
          </Button>
        </PostForm>
        <p className="or muted meta">or</p>
        <LinkButton kind="discord" large wide href={withNext(discordLoginPath, next)}>
          <DiscordMark />
          Log in with Discord
        </LinkButton>
      </div>
      <Links
        links={[
          { href: withNext(codeLoginPath, next), label: 'Log in with a code' },
          { href: withNext(signUpPath, next), label: 'Sign up' },
        ]}
      />
    </div>
  )
}
