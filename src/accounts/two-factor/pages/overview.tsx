import { Badge } from '../../../../client/components/badge.tsx'
import { LinkButton } from '../../../../client/components/button.tsx'
import { Links, yourAccount } from '../../pages/form-page.tsx'
import { RECOVERY_CODE_COUNT } from '../recovery-codes.ts'
import type { TwoFactorState } from '../second-factor.ts'

/** Whether the user has a second factor, and what they can do about it. */
export function OverviewPage({ state }: { state: TwoFactorState | null }) {
  return (
    <div className="narrow stack">
      <h1>Two-factor authentication</h1>
      <section className="card card-body stack">
        <div className="row">
          <h2>Authenticator app</h2>
          <span className="push">
            <Badge tone={state ? 'done' : 'neutral'}>{state ? 'Active' : 'Not active'}</Badge>
          </span>
        </div>
        {state ? (
          <>
            <p>Authentication using an authenticator app is active.</p>
            <LinkButton kind="danger" href="/accounts/2fa/totp/deactivate/">
              Deactivate
            </LinkButton>
          </>
        ) : (
          <>
            <p>An authenticator app is not active. With one, your password alone is not enough to log in.</p>
            <LinkButton kind="primary" href="/accounts/2fa/totp/activate/">
              Activate
            </LinkButton>
          </>
        )}
      </section>
      {state ? (
        <section className="card card-body stack">
          <h2>Recovery codes</h2>
          <p>
            There are {state.codesLeft} out of {RECOVERY_CODE_COUNT} recovery codes available.
          </p>
          <LinkButton href="/accounts/2fa/recovery-codes/">Recovery codes</LinkButton>
        </section>
      ) : null}
      <Links links={[yourAccount]} />
    </div>
  )
}
