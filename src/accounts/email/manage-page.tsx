import { Badge } from '../../../client/components/badge.tsx'
import { Button } from '../../../client/components/button.tsx'
import { CsrfToken } from '../../../client/components/navbar.tsx'
import type { PageContext } from '../../web/contract.ts'
import { type Fault, FaultSummary, Links, TextInput, yourAccount } from '../pages/form-page.tsx'
import type { Address } from './addresses.ts'

interface ManageEmailPageProps {
  context: PageContext
  addresses: readonly Address[]
  typed: string
  faults: readonly Fault[]
}

/** A user's addresses: one form chooses an address and what to do with it, another adds one. */
export function ManageEmailPage({ context, addresses, typed, faults }: ManageEmailPageProps) {
  return (
    <div className="medium stack">
      <h1>Email addresses</h1>
      <FaultSummary faults={faults} />
      {addresses.length === 0 ? (
        <p className="strong">
          Warning: you have no email address. Add one so that you can receive emails and reset your password.
        </p>
      ) : (
        <ChooseForm context={context} addresses={addresses} />
      )}
      <form className="card card-body stack" method="post" action="/accounts/email/">
        <CsrfToken context={context} />
        <h2>Add email address</h2>
        <TextInput name="email" label="Email address" type="email" autoComplete="email" value={typed} faults={faults} />
        <div>
          <Button kind="primary" type="submit" name="action_add" value="1">
            Add email
          </Button>
        </div>
      </form>
      <Links links={[yourAccount]} />
    </div>
  )
}

function ChooseForm({ context, addresses }: { context: PageContext; addresses: readonly Address[] }) {
  return (
    <form className="card card-body stack" method="post" action="/accounts/email/">
      <CsrfToken context={context} />
      <fieldset className="stack stack-small">
        <legend className="label">Your addresses</legend>
        {addresses.map(({ id, address, verified_at, is_primary }) => (
          <div className="check" key={id}>
            <input
              id={`address-${id}`}
              type="radio"
              name="email"
              value={address}
              defaultChecked={is_primary}
              required
            />
            <label className="row" htmlFor={`address-${id}`}>
              <span className="break">{address}</span>
              {verified_at === null ? <Badge tone="waitlisted">Unverified</Badge> : <Badge tone="done">Verified</Badge>}
              {is_primary ? <Badge tone="info">Primary</Badge> : null}
            </label>
          </div>
        ))}
      </fieldset>
      <div className="row">
        <Button type="submit" name="action_primary" value="1">
          Make primary
        </Button>
        <Button type="submit" name="action_send" value="1">
          Resend verification
        </Button>
        <Button kind="danger" type="submit" name="action_remove" value="1">
          Remove
        </Button>
      </div>
    </form>
  )
}
