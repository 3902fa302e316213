import type { Decision, PendingInvite } from '../../../src/classcords/contract.ts'

type Verdict = 'approve' | 'reject'
/** The actions of a card's buttons: decide, or, for an invite that is not valid, ask Discord again or close it. */
export type ReviewAct = Verdict | 'recheck' | 'close'

export interface Card {
  invite: PendingInvite
  busy: ReviewAct | null
  /** Set once it is decided. If that was elsewhere, the card says so until it is dismissed. */
  decided: Decision['data']['status'] | 'elsewhere' | null
  isCollapsing: boolean
  errors: readonly string[]
  /** What its reason for rejecting begins with: that of a rejection that was undone. */
  reason: string
}

export function newCards(invites: readonly PendingInvite[], reason = ''): Card[] {
  return invites.map((invite) => ({ invite, busy: null, decided: null, isCollapsing: false, errors: [], reason }))
}

export function cardWith(cards: readonly Card[], id: number, change: Partial<Card>): Card[] {
  return cards.map((card) => (card.invite.id === id ? { ...card, ...change } : card))
}

/** Removes the card if it is decided; an undo may have been faster than its animation. */
export function cardsWithout(cards: readonly Card[], id: number): Card[] {
  return cards.filter((card) => card.invite.id !== id || card.decided === null)
}

/** Makes the invite pending again, in its former place or at the end of a shorter list. */
export function cardsWith(cards: readonly Card[], invite: PendingInvite, at: number, reason: string): Card[] {
  const others = cards.filter((card) => card.invite.id !== invite.id)
  return others.toSpliced(Math.min(at, others.length), 0, ...newCards([invite], reason))
}

/** The card after the one at `at`: the next undecided one, otherwise the last one before it. */
export function nextCard(cards: readonly Card[], at: number): Card | null {
  const waits = (card: Card, index: number) => index !== at && card.decided === null
  return cards.find((card, index) => index > at && waits(card, index)) ?? cards.findLast(waits) ?? null
}

/** The decision for a key; null for other keys, repeated keys and key combinations. */
export function verdictOf(event: {
  key: string
  repeat: boolean
  ctrlKey: boolean
  metaKey: boolean
  altKey: boolean
}): Verdict | null {
  if (event.repeat || event.ctrlKey || event.metaKey || event.altKey) return null
  if (event.key === 'a') return 'approve'
  return event.key === 'r' ? 'reject' : null
}
