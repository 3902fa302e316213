import { Button } from '../../../client/components/button.tsx'
import { CsrfToken } from '../../../client/components/navbar.tsx'
import type { PageContext } from '../../web/contract.ts'

/** Signing out changes something, so it is a form and not a link. */
export function LogOutForm({ context, kind = 'plain' }: { context: PageContext; kind?: 'plain' | 'primary' }) {
  return (
    <form method="post" action="/class_tracker/logout_view/">
      <CsrfToken context={context} />
      <Button kind={kind} type="submit">
        Log Out
      </Button>
    </form>
  )
}
