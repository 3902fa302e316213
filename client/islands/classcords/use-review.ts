import { useEffect, useRef, useState } from 'react'
import type { Decision, PendingInvite, UnapprovedInvitesProps } from '../../../src/classcords/contract.ts'
import { invalidText } from '../../../src/classcords/invites/contract.ts'
import type { PageData } from '../../../src/web/contract.ts'
import { call } from '#in-browser/api.ts'
import { privacyChangeText } from '../../components/privacy-change.ts'
import { failed, type Toast } from '../../components/toasts.tsx'
import { useFoldAway } from '../../components/use-fold-away.ts'
import { CallError, messagesOf } from '#in-browser/errors.ts'
import { calls } from '#in-browser/islands/classcords/calls.ts'
import { cardsWith, cardsWithout, cardWith, newCards, nextCard, type Card, type ReviewAct } from './review-cards.ts'

function focusCard(id: number | undefined): void {
  const place = id === undefined ? null : document.getElementById(`invite-${id}`)
  ;(place ?? document.getElementById('main'))?.focus()
}

function ask(
  { id, changes_privacy: changesPrivacy }: PendingInvite,
  what: ReviewAct,
  reason: string,
): Promise<Decision> {
  if (what === 'approve') return calls.approve(id, changesPrivacy)
  return what === 'reject' ? calls.reject(id, reason) : calls[what](id)
}

/** The page's pending invites and decisions about them. A decided one collapses; undo puts it back in its place. */
export function useReview(props: UnapprovedInvitesProps, say: (toast: Toast) => void) {
  const [page, setPage] = useState(props)
  /** Whether the invites after this page's are being loaded. */
  const [more, setMore] = useState<'none' | 'loading' | 'failed'>('none')
  const [cards, setCards] = useState<readonly Card[]>(() => newCards(props.unapproved_invites))
  const running = useRef(new Set<number>())
  const returning = useRef<number | null>(null)
  const removeFolded = useFoldAway()
  const latest = useRef<readonly Card[]>(cards)

  // A restored card can take the focus only after it is rendered.
  useEffect(() => {
    if (returning.current !== null) focusCard(returning.current)
    returning.current = null
  }, [cards])

  function show(next: readonly Card[]): void {
    latest.current = next
    setCards(next)
  }
  function change(id: number, to: Partial<Card>): void {
    show(cardWith(latest.current, id, to))
  }

  /** Loads more once this page's invites are all decided. */
  async function fetchMore(): Promise<void> {
    setMore('loading')
    try {
      const address = `${location.pathname}${location.search}`
      const { props: fresh } = await call<PageData<UnapprovedInvitesProps>>(address)
      setMore('none')
      if (latest.current.length > 0) return
      setPage(fresh)
      show(newCards(fresh.unapproved_invites))
    } catch (error) {
      setMore('failed')
      say(failed(error))
    }
  }

  async function undo(invite: PendingInvite, was: string, at: number, reason: string): Promise<void> {
    try {
      await calls.undo(invite.id, was)
      returning.current = invite.id
      show(cardsWith(latest.current, invite, at, reason))
      say({ tone: 'success', text: `The invite to ${invite.discord_server.display_name} is pending again.` })
    } catch (error) {
      say(failed(error))
    }
  }

  function foldAway(invite: PendingInvite, decided: NonNullable<Card['decided']>, said?: Toast): void {
    const at = latest.current.findIndex((card) => card.invite.id === invite.id)
    const next = nextCard(latest.current, at)
    change(invite.id, { busy: null, decided, isCollapsing: true })
    if (said) say(said)
    focusCard(next?.invite.id)
    removeFolded(() => {
      show(cardsWithout(latest.current, invite.id))
      if (latest.current.length === 0) void fetchMore()
    })
  }

  function finish(invite: PendingInvite, what: ReviewAct, reason: string, { data: { status } }: Decision): void {
    const { display_name: server } = invite.discord_server
    if (status === 'pending') {
      change(invite.id, { busy: null, invite: { ...invite, is_valid: true } })
      say({ tone: 'success', text: `The invite to ${server} works again.` })
    } else if (status === 'expired')
      foldAway(invite, status, {
        tone: 'success',
        text: `The invite to ${server} ${what === 'close' ? 'was closed' : 'still does not work, so it has expired'}.`,
      })
    else {
      const at = latest.current.findIndex((card) => card.invite.id === invite.id)
      const undoIt = () => undo(invite, status, at, reason)
      foldAway(invite, status, { tone: 'success', text: `The invite to ${server} was ${status}.`, undo: undoIt })
    }
  }

  async function act(invite: PendingInvite, what: ReviewAct, reason: string): Promise<void> {
    if (running.current.has(invite.id)) return
    running.current.add(invite.id)
    change(invite.id, { busy: what, errors: [] })
    try {
      finish(invite, what, reason, await ask(invite, what, reason))
    } catch (error) {
      const errors = messagesOf(error)
      if (errors.includes(privacyChangeText(invite.discord_server.privacy_level_info.value))) {
        // Since the card was loaded, the server got the other privacy: its approval has to be wanted knowing that.
        change(invite.id, { busy: null, errors, invite: { ...invite, changes_privacy: true } })
        return
      }
      if (errors.includes(invalidText('approve')) || errors.includes(invalidText('reject'))) {
        change(invite.id, { busy: null, errors, invite: { ...invite, is_valid: false } })
        return
      }
      const isGone = error instanceof CallError && (error.status === 409 || error.status === 404)
      change(invite.id, { busy: null, errors, decided: isGone ? 'elsewhere' : null })
    } finally {
      running.current.delete(invite.id)
    }
  }

  const dismiss = (invite: PendingInvite) => foldAway(invite, 'elsewhere')

  return { page, cards, more, fetchMore, act, dismiss }
}
