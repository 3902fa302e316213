import type { PageContext } from '../../../web/contract.ts'
import { FormPage } from '../../pages/form-page.tsx'
import { keyAddress, typedSecret } from '../totp.ts'
import { CodeField } from './code-field.tsx'
import { QrImage } from './qr-image.tsx'

interface ActivatePageProps {
  context: PageContext
  secret: Uint8Array
  /** The secret, encrypted, to come back with the form. */
  offer: string
  /** The name that the app will show. */
  account: string
  message: string
}

/** Shows the secret as a QR code and as text, and asks for a first code. */
export function ActivatePage({ context, secret, offer, account, message }: ActivatePageProps) {
  return (
    <FormPage
      context={context}
      title="Activate authenticator app"
      lead="To protect your account with two-factor authentication, scan the QR code with your authenticator app. Then enter the code it shows."
      action="/accounts/2fa/totp/activate/"
      submit="Activate"
      links={[{ href: '/accounts/2fa/', label: 'Cancel' }]}
    >
      <input type="hidden" name="offer" value={offer} />
      <QrImage text={keyAddress(secret, account)} label="QR code for your authenticator app" />
      <div className="stack stack-small">
        <p className="label">Authenticator secret</p>
        <p>
          <code>{typedSecret(secret)}</code>
        </p>
        <p className="field-help">
          For an app on this device, or one that cannot scan: you can type it there instead.{' '}
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
