import { Button, LinkButton } from '../../../client/components/button.tsx'
import { CsrfToken } from '../../../client/components/navbar.tsx'
import type { PageContext } from '../../web/contract.ts'

/** Asks before logging out: opening a link must not do it. */
export function LogoutPage({ context, next, back }: { context: PageContext; next: string; back: string }) {
  return (
    <div className="narrow stack">
      <h1>Log out</h1>
      <p>Are you sure you want to sign out?</p>
      <form className="row" method="post" action="/accounts/logout/">
        <CsrfToken context={context} />
        <input type="hidden" name="next" value={next} />
        <Button kind="primary" type="submit">
          Log out
        </Button>
        <LinkButton href={back}>Stay logged in</LinkButton>
      </form>
    </div>
  )
}
