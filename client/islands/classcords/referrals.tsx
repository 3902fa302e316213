import type { FormEvent } from 'react'
import type { Referral, ReferralsProps } from '../../../src/classcords/contract.ts'
import type { PageContext } from '../../../src/web/contract.ts'
import { Badge, type BadgeTone } from '../../components/badge.tsx'
import { Button, LinkButton } from '../../components/button.tsx'
import { CopyButton } from '../../components/copy-button.tsx'
import { DescribedFields, errorsOf } from '../../components/described-form.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { ErrorSummary } from '../../components/error-summary.tsx'
import { PageHead } from '../../components/page-head.tsx'
import { PostForm } from '../../components/post-form.tsx'
import { Pagination } from '../../components/pagination.tsx'
import { ShareButton } from '../../components/share-button.tsx'
import { DataTable } from '../../components/data-table.tsx'
import { AbsoluteTime } from '../../components/relative-time.tsx'
import { useConfirmation } from '../../components/use-lazy-dialog.tsx'
import { DOUBLE_PRESS_MS, isDoublePress } from '../../scripts/double-press.ts'
import type { IslandProps } from '../index.ts'

interface ReferralStatus {
  label: 'Fully Redeemed' | 'Partially Redeemed' | 'Expired' | 'Active'
  tone: BadgeTone
}

type Uses = Pick<Referral, 'num_uses' | 'max_uses'>

/** The first status that applies. A referral without a maximum is never fully redeemed. */
export function referralStatus({
  num_uses: uses,
  max_uses: most,
  is_expired: isExpired,
}: Uses & Pick<Referral, 'is_expired'>): ReferralStatus {
  if (most !== 0 && uses >= most) return { label: 'Fully Redeemed', tone: 'neutral' }
  if (uses > 0) return { label: 'Partially Redeemed', tone: 'info' }
  if (isExpired) return { label: 'Expired', tone: 'closed' }
  return { label: 'Active', tone: 'info' }
}

/** "3 / 20", "3 / Unlimited". */
export function usesText({ num_uses: uses, max_uses: most }: Uses): string {
  return `${uses} / ${most === 0 ? 'Unlimited' : most}`
}

interface ReferralLinkProps {
  referral: Referral
  context: PageContext
  onRevoke: (form: HTMLFormElement) => void
}

function ReferralLink({ referral: { id, url, is_valid, can_revoke }, context, onRevoke }: ReferralLinkProps) {
  function revoke(event: FormEvent<HTMLFormElement>): void {
    event.preventDefault()
    onRevoke(event.currentTarget)
  }
  return (
    <>
      <span className="address small">{url}</span>
      <div className="row referral-acts">
        <CopyButton text={url} subject="referral URL" />
        <ShareButton url={url} title="An invitation to Class Cords" />
        {is_valid && <LinkButton href={`/classcords/referrals/${id}/qr/`}>QR code</LinkButton>}
        {can_revoke && (
          <PostForm context={context} action={`/classcords/referrals/${id}/revoke/`} onSubmit={revoke}>
            <Button kind="danger" type="submit">
              Revoke
            </Button>
          </PostForm>
        )}
      </div>
    </>
  )
}

function ReferralTable({
  referrals,
  context,
  onRevoke,
}: Omit<ReferralLinkProps, 'referral'> & { referrals: readonly Referral[] }) {
  const moment = (at: string) => <AbsoluteTime at={at} timeZone={context.time_zone} />
  return (
    <DataTable
      className="referrals"
      columns={[
        {
          label: 'Status',
          cell: (referral) => {
            const { label, tone } = referralStatus(referral)
            return <Badge tone={tone}>{label}</Badge>
          },
        },
        { label: 'Uses', className: 'nowrap', cell: usesText },
        { label: 'Created', cell: ({ datetime_created: created }) => moment(created) },
        { label: 'Expires', cell: ({ datetime_expires: expires }) => (expires === null ? 'Never' : moment(expires)) },
        {
          label: 'Copy URL',
          cell: (referral) => <ReferralLink referral={referral} context={context} onRevoke={onRevoke} />,
        },
      ]}
      rows={referrals}
      keyOf={({ id }) => id}
      empty={<EmptyState small title="You haven't created any referrals yet." />}
    />
  )
}

export function Island({ props, context }: IslandProps<ReferralsProps>) {
  const { referral_form: form, referrals, pagination } = props
  const { show: ask, dialog: question } = useConfirmation()
  const revoke = (sent: HTMLFormElement) =>
    ask({
      title: 'Revoke this referral?',
      children: 'Its link stops working immediately, for everyone it was sent to. This cannot be undone.',
      confirmLabel: 'Revoke',
      danger: true,
      // Waiting while the page changes ignores a second press, which would be refused.
      async onConfirm() {
        sent.submit()
        await new Promise((resolve) => setTimeout(resolve, DOUBLE_PRESS_MS))
      },
    })
  return (
    <div className="stack stack-large">
      <PageHead
        title="Referral Management"
        about="A referral lets people you know sign up, even if they aren't in a trusted server."
      />
      <section className="card card-body stack" aria-labelledby="create">
        <h2 id="create">Create a referral</h2>
        <ErrorSummary errors={errorsOf([form])} />
        <PostForm
          context={context}
          action="/classcords/referrals/"
          onSubmit={(event) => {
            // A double press creates one referral.
            if (isDoublePress(event.currentTarget, event.timeStamp)) event.preventDefault()
          }}
        >
          <div className="referral-fields">
            <DescribedFields form={form} />
            <Button kind="primary" type="submit">
              Create Referral
            </Button>
          </div>
        </PostForm>
      </section>
      <section className="card" aria-labelledby="own">
        <div className="card-head">
          <h2 id="own">Your referrals</h2>
        </div>
        <ReferralTable referrals={referrals} context={context} onRevoke={revoke} />
      </section>
      <Pagination pagination={pagination} hrefOf={(page) => `?page=${page}`} />
      {question}
    </div>
  )
}
