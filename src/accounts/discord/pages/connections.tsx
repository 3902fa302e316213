import { Button, LinkButton } from '../../../../client/components/button.tsx'
import { ErrorSummary } from '../../../../client/components/error-summary.tsx'
import { CsrfToken } from '../../../../client/components/navbar.tsx'
import type { PageContext } from '../../../web/contract.ts'
import { Links } from '../../pages/form-page.tsx'
import type { Connection } from '../connections.ts'

interface ConnectionsPageProps {
  context: PageContext
  connection: Connection | null
  /** Why nothing was removed; '' when nothing was to be. */
  message: string
}

/** The list of connected accounts, and the way to connect one. */
export function ConnectionsPage({ context, connection, message }: ConnectionsPageProps) {
  return (
    <div className="narrow stack">
      <h1>Account connections</h1>
      <ErrorSummary errors={message === '' ? [] : [{ message }]} />
      {connection === null ? (
        <>
          <p>You currently have no third-party accounts connected to this account.</p>
          <LinkButton kind="primary" wide href="/accounts/discord/login/?process=connect">
            Connect Discord
          </LinkButton>
        </>
      ) : (
        <Connected context={context} connection={connection} />
      )}
      <Links links={[{ href: '/accounts/', label: 'Account' }]} />
    </div>
  )
}

function Connected({ context, connection }: { context: PageContext; connection: Connection }) {
  const tag = connection.discriminator === '0' ? '' : `#${connection.discriminator}`
  return (
    <>
      <p>You can log in to your account with this third-party account:</p>
      <form className="card card-body stack" method="post" action="/accounts/3rdparty/">
        <CsrfToken context={context} />
        <div className="check">
          <input id="account" name="account" type="radio" value={connection.id} defaultChecked required />
          <label htmlFor="account">
            <span className="strong">{connection.display_name}</span>
            <span className="muted small">{` Discord, ${connection.username}${tag}`}</span>
          </label>
        </div>
        <Button kind="danger" type="submit">
          Remove
        </Button>
      </form>
    </>
  )
}
