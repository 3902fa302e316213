import type { PageContext } from '../../../web/contract.ts'
import { FormPage } from '../../pages/form-page.tsx'

/** Asks before the second factor goes. */
export function DeactivatePage({ context }: { context: PageContext }) {
  return (
    <FormPage
      context={context}
      title="Deactivate authenticator app"
      lead="You are about to deactivate your authenticator app. Logging in will no longer ask for a code, and your recovery codes will be deleted. Are you sure?"
      action="/accounts/2fa/totp/deactivate/"
      submit="Deactivate"
      links={[{ href: '/accounts/2fa/', label: 'Cancel' }]}
    />
  )
}
