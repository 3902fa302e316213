import type { PageContext } from '../../../web/contract.ts'
import { FormPage } from '../../pages/form-page.tsx'

/** Asks before the second factor goes. */
export function DeactivatePage({ context }: { context: PageContext }) {
  return (
    <FormPage
      context={context}
      title="Deactivate Authenticator App"
      lead="You are about to deactivate authenticator app based authentication. Your recovery codes go with it. Are you sure?"
      action="/accounts/2fa/totp/deactivate/"
      submit="Deactivate"
      links={[{ href: '/accounts/2fa/', label: 'Keep it' }]}
    />
  )
}
