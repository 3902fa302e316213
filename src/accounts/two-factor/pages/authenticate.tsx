import type { PageContext } from '../../../web/contract.ts'
import { FormPage } from '../../pages/form-page.tsx'
import { CodeField } from './code-field.tsx'

/** The second step of a login: asks for a code. */
export function AuthenticatePage({ context, message }: { context: PageContext; message: string }) {
  return (
    <FormPage
      context={context}
      title="Two-factor authentication"
      lead="Your account is protected by two-factor authentication. Please enter an authenticator code:"
      action="/accounts/2fa/authenticate/"
      submit="Log in"
      links={[{ href: '/accounts/login/', label: 'Cancel' }]}
    >
      <CodeField
        label="Code"
        help="Six digits from your app. Or one of your recovery codes: each works once."
        error={message}
        isLong
      />
    </FormPage>
  )
}
