import { useState, useEffect, useRef } from 'react'
import type { UnapprovedInvitesProps } from '../../../src/classcords/contract.ts'
import { Button } from '../../components/button.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { NeedsScript } from '../../components/needs-script.tsx'
import { Pagination } from '../../components/pagination.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { Toasts, useToasts } from '../../components/toasts.tsx'
import type { IslandProps } from '../index.ts'
import { ReviewCard } from './review-card.tsx'
import { useReview } from './use-review.ts'
import { recall, remember } from '#in-browser/storage.ts'
import { nextCard, verdictOf } from './review-cards.ts'

const memory = 'classcords:review-keys'
const isBoolean = (value: unknown): value is boolean => typeof value === 'boolean'
const fields = 'input:not([type=checkbox]), textarea, select, dialog, [popover]'

function isInView(element: Element): boolean {
  const { top, bottom } = element.getBoundingClientRect()
  return top < innerHeight && bottom > 0
}

/** `a` and `r` press the current card's buttons. They can be turned off, for assistive tools that type letters. */
function useReviewKeys(currentId: number | null): { isOn: boolean; turn: (on: boolean) => void } {
  const [isOn, setOn] = useState(true)
  const current = useRef(currentId)
  useEffect(() => {
    current.current = currentId
  }, [currentId])
  useEffect(() => setOn(recall('local', memory, isBoolean) ?? true), [])

  useEffect(() => {
    if (!isOn) return
    function press(event: KeyboardEvent): void {
      const verdict = verdictOf(event)
      const heading = document.getElementById(`invite-${current.current}`)
      if (verdict === null || heading === null) return
      if (event.target instanceof Element && event.target.closest(fields)) return
      event.preventDefault()
      const card = heading.closest('article') ?? heading
      if (isInView(card)) document.getElementById(`${verdict}-${current.current}`)?.click()
      else heading.focus()
    }
    document.addEventListener('keydown', press)
    return () => document.removeEventListener('keydown', press)
  }, [isOn])

  function turn(on: boolean): void {
    setOn(on)
    remember('local', memory, on)
  }
  return { isOn, turn }
}

/** Every invite of the page was decided: there may be more. */
function NoCards({ more, onRetry }: { more: 'none' | 'loading' | 'failed'; onRetry: () => void }) {
  if (more === 'loading') return <Skeleton label="Loading more invites…" lines={3} />
  return (
    <div className="card" role="status">
      {more === 'none' ? (
        <EmptyState title="No Pending Invites">
          <p>All Discord invites have been reviewed and approved.</p>
        </EmptyState>
      ) : (
        <EmptyState title="More invites could not be loaded">
          <Button icon="refresh" onClick={onRetry}>
            Try again
          </Button>
        </EmptyState>
      )}
    </div>
  )
}

export function Island({ props, context }: IslandProps<UnapprovedInvitesProps>) {
  const { toasts, say, dismiss } = useToasts()
  const { page, cards, more, fetchMore, act, dismiss: dismissCard } = useReview(props, say)
  const [nearId, setNearId] = useState<number | null>(null)
  const near = cards.findIndex(({ invite }) => invite.id === nearId)
  const current = cards[near]?.decided === null ? cards[near] : nextCard(cards, near)
  const currentId = current?.invite.id ?? null
  const { isOn, turn } = useReviewKeys(currentId)
  return (
    <div className="stack review-page">
      <NeedsScript act="Reviewing invites" />
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
        <NoCards more={more} onRetry={() => void fetchMore()} />
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
              onDismiss={() => dismissCard(card.invite)}
            />
          ))}
        </ul>
      )}
      <Pagination pagination={page.pagination} hrefOf={(number) => `?page=${number}`} />
      <Toasts toasts={toasts} onDismiss={dismiss} />
    </div>
  )
}
