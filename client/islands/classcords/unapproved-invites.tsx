import { useState } from 'react'
import type { UnapprovedInvitesProps } from '../../../src/classcords/contract.ts'
import { EmptyState } from '../../components/empty-state.tsx'
import { NeedsScript } from '../../components/needs-script.tsx'
import { Pagination } from '../../components/pagination.tsx'
import { Toasts, useToasts } from '../../components/toasts.tsx'
import type { IslandProps } from '../index.ts'
import { ReviewCard } from './review-card.tsx'
import { useReviewKeys } from './use-review-keys.ts'
import { useReview } from './use-review.ts'

export function Island({ props, context }: IslandProps<UnapprovedInvitesProps>) {
  const { toasts, say, dismiss } = useToasts()
  const { page, cards, act } = useReview(props, say)
  const [nearId, setNearId] = useState<number | null>(null)
  const waiting = cards.filter(({ decided }) => decided === null)
  const current = waiting.find(({ invite }) => invite.id === nearId) ?? waiting[0]
  const currentId = current?.invite.id ?? null
  const { isOn, turn } = useReviewKeys(currentId)
  return (
    <div className="stack review-page">
      <NeedsScript act="Approving and rejecting" />
      <div className="page-head">
        <div>
          <h1>Unapproved Discord Invites</h1>
          <p>Review and approve Discord server invites submitted by other users</p>
          <p className="small">
            <a href="/classcords/reports/">Reported servers</a>
          </p>
        </div>
        {cards.length > 0 && (
          <div className="check small only-keys">
            <input id="keys" type="checkbox" checked={isOn} onChange={(event) => turn(event.target.checked)} />
            <label htmlFor="keys">
              Keys: <kbd>a</kbd> approves, <kbd>r</kbd> rejects
            </label>
          </div>
        )}
      </div>
      {cards.length === 0 ? (
        <div className="card" role="status">
          <EmptyState title="No Pending Invites">
            <p>All Discord invites have been reviewed and approved.</p>
          </EmptyState>
        </div>
      ) : (
        <ul className="reviews">
          {cards.map((card) => (
            <ReviewCard
              key={card.invite.id}
              card={card}
              timeZone={context.time_zone}
              isFirst={card.invite.id === currentId}
              isCurrent={isOn && card.invite.id === currentId}
              onNear={() => setNearId(card.invite.id)}
              onAct={(what, reason) => void act(card.invite, what, reason)}
            />
          ))}
        </ul>
      )}
      <Pagination pagination={page.pagination} hrefOf={(number) => `?page=${number}`} />
      <Toasts toasts={toasts} onDismiss={dismiss} />
    </div>
  )
}
