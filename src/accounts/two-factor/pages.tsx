import { Badge } from '../../../client/components/badge.tsx'
import { Button, LinkButton } from '../../../client/components/button.tsx'
import { AccountPage } from '../pages/account-page.tsx'
import { FormPage } from '../pages/form-page.tsx'
import { RECOVERY_CODE_COUNT, keyAddress, typedSecret } from './totp.ts'
import type { TwoFactorState } from './second-factor.ts'
import type { PageContext } from '../../web/contract.ts'
import { QrImage } from './qr-image.tsx'
import { PostForm } from '../../../client/components/post-form.tsx'
import { describedBy, Field } from '../../../client/components/field.tsx'
import { twoFactorPath, activatePath, deactivatePath, recoveryCodesPath, generateCodesPath } from '../paths.ts'

export function OverviewPage({ state }: { state: TwoFactorState | null }) {
  return (
    <AccountPage title="Two-factor authentication">
      <section className="card card-body stack">
        <div className="row">
          <h2>Authenticator app</h2>
          <span className="push">
            <Badge tone={state ? 'done' : 'neutral'}>{state ? 'Active' : 'Not active'}</Badge>
          </span>
        </div>
        {state ? (
          <>
            <p>Authentication using an authenticator app is active. Logging in asks for a code from it.</p>
            <div className="row">
              <LinkButton kind="danger" href={deactivatePath}>
                Deactivate
              </LinkButton>
            </div>
          </>
        ) : (
          <>
            <p>An authenticator app is not active. With one, your password alone is not enough to log in.</p>
            <div className="row">
              <LinkButton kind="primary" href={activatePath}>
                Activate
              </LinkButton>
            </div>
          </>
        )}
      </section>
      {state ? (
        <section className="card card-body stack">
          <h2>Recovery codes</h2>
          <p>
            There are {state.codesLeft} out of {RECOVERY_CODE_COUNT} recovery codes available.
          </p>
          <div className="row">
            <LinkButton href={recoveryCodesPath}>Recovery codes</LinkButton>
          </div>
        </section>
      ) : null}
    </AccountPage>
  )
}

interface ActivatePageProps {
  context: PageContext
  secret: Uint8Array
  /** The secret, encrypted, to come back with the form. */
  offer: string
  /** The name that the app will show. */
  account: string
  message: string
}

export function ActivatePage({ context, secret, offer, account, message }: ActivatePageProps) {
  return (
    <FormPage
      context={context}
      title="Activate authenticator app"
      lead="To protect your account with two-factor authentication, scan the QR code with your authenticator app. Then enter the code it shows."
      action={activatePath}
      submit="Activate"
      links={[{ href: twoFactorPath, label: 'Cancel' }]}
    >
      <input type="hidden" name="offer" value={offer} />
      <QrImage text={keyAddress(secret, account)} label="QR code for your authenticator app" />
      <div className="stack stack-small">
        <p className="label">Authenticator secret</p>
        <p>
          <code>{typedSecret(secret)}</code>
        </p>
        <p className="field-help">
          If you cannot scan the code, type this secret into your app.{' '}
          <a href={keyAddress(secret, account)}>Open in an app on this device</a>
        </p>
      </div>
      <CodeField
        label="Authenticator code"
        help="Six digits; they change every 30 seconds."
        error={message}
        isLong={false}
      />
    </FormPage>
  )
}

const back = { href: twoFactorPath, label: 'Two-factor authentication' }

export function RecoveryCodesPage({ left }: { left: number }) {
  return (
    <AccountPage title="Recovery codes" links={[back]}>
      <p>
        There are {left} out of {RECOVERY_CODE_COUNT} recovery codes available. They were shown when they were generated
        and cannot be shown again.
      </p>
      <div className="row">
        <LinkButton kind="primary" href={generateCodesPath}>
          Generate new codes
        </LinkButton>
      </div>
    </AccountPage>
  )
}

/** @param replaces stands for the codes that the new ones replace */
export function GeneratePage({ context, replaces }: { context: PageContext; replaces: string }) {
  return (
    <FormPage
      context={context}
      title="Recovery codes"
      lead="New recovery codes replace your existing ones, which will no longer work. Are you sure?"
      action={generateCodesPath}
      submit="Generate"
      links={[back]}
    >
      <input type="hidden" name="replaces" value={replaces} />
    </FormPage>
  )
}

/** The codes are shown only here. */
export function NewCodesPage({ context, codes }: { context: PageContext; codes: readonly string[] }) {
  return (
    <AccountPage title="Recovery codes" links={[back]}>
      <p>
        Keep these codes where you can get to them without your phone. Each one logs you in once, instead of a code from
        your app. <strong>They are not shown again.</strong>
      </p>
      <ul className="card card-body recovery-codes numbers">
        {codes.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ul>
      <PostForm context={context} action="/accounts/2fa/recovery-codes/download/">
        <input type="hidden" name="codes" value={codes.join(' ')} />
        <Button type="submit" kind="primary">
          Download codes
        </Button>
      </PostForm>
    </AccountPage>
  )
}

/** Where a code is typed, or filled in by a password manager. Also takes recovery codes when `isLong`. */
export function CodeField({
  label,
  help,
  error,
  isLong,
}: {
  label: string
  help: string
  error: string
  isLong: boolean
}) {
  return (
    <Field id="code" label={label} help={help} error={error}>
      <input
        className="input numbers"
        id="code"
        name="code"
        inputMode="numeric"
        autoComplete="one-time-code"
        autoCapitalize="none"
        spellCheck={false}
        maxLength={isLong ? 20 : 12}
        required
        autoFocus
        aria-invalid={error !== '' || undefined}
        aria-describedby={describedBy('code', help, error)}
      />
    </Field>
  )
}
