import { Button, LinkButton } from '../../../../client/components/button.tsx'
import { CsrfToken } from '../../../../client/components/navbar.tsx'
import type { PageContext } from '../../../web/contract.ts'
import { FormPage, Links } from '../../pages/form-page.tsx'
import { RECOVERY_CODE_COUNT } from '../recovery-codes.ts'

const back = { href: '/accounts/2fa/', label: 'Two-factor authentication' }

/** How many codes are left. */
export function RecoveryCodesPage({ left }: { left: number }) {
  return (
    <div className="narrow stack">
      <h1>Recovery codes</h1>
      <p>
        There are {left} out of {RECOVERY_CODE_COUNT} recovery codes available. They were shown when they were generated
        and cannot be shown again.
      </p>
      <LinkButton kind="primary" wide href="/accounts/2fa/recovery-codes/generate/">
        Generate new codes
      </LinkButton>
      <Links links={[back]} />
    </div>
  )
}

export function GeneratePage({ context }: { context: PageContext }) {
  return (
    <FormPage
      context={context}
      title="Recovery codes"
      lead="New recovery codes replace your existing ones, which will no longer work. Are you sure?"
      action="/accounts/2fa/recovery-codes/generate/"
      submit="Generate"
      links={[back]}
    />
  )
}

/** The codes are shown only here. */
export function NewCodesPage({ context, codes }: { context: PageContext; codes: readonly string[] }) {
  return (
    <div className="narrow stack">
      <h1>Recovery codes</h1>
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
      <form method="post" action="/accounts/2fa/recovery-codes/download/">
        <CsrfToken context={context} />
        <input type="hidden" name="codes" value={codes.join(' ')} />
        <Button type="submit" kind="primary" wide>
          Download codes
        </Button>
      </form>
      <Links links={[back]} />
    </div>
  )
}
