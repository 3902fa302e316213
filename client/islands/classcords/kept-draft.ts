import type { ValidateDiscordInvite } from '../../../src/classcords/contract.ts'
import { recall, remember } from '../../storage.ts'
import type { Draft } from './submission.ts'

/** A submission that was begun: it outlives its dialog, a reload and a login, in this tab. */
interface KeptDraft {
  step: 'link' | 'details'
  draft: Draft
  /** Null before the link was validated. */
  looked: ValidateDiscordInvite | null
}

/** Everybody's own, because a browser may change hands. */
const keyOf = (owner: string) => `classcords:draft:${owner}`

/** @param owner the Discord id of who typed it; null when there is none */
export function recallDraft(owner: string): KeptDraft | null {
  return recall('session', keyOf(owner), isKeptDraft)
}

/** Keeps what was typed; nothing of an empty form. Null forgets it. */
export function keepDraft(owner: string, kept: KeptDraft | null): void {
  const isEmpty = kept === null || (kept.draft.inviteUrl.trim() === '' && kept.draft.notes.trim() === '')
  remember('session', keyOf(owner), isEmpty ? null : kept)
}

function isKeptDraft(value: unknown): value is KeptDraft {
  const { step, draft, looked } = (value ?? {}) as Partial<KeptDraft>
  return (
    typeof draft?.inviteUrl === 'string' &&
    typeof draft.notes === 'string' &&
    Array.isArray(draft.courses) &&
    Array.isArray(draft.instructors) &&
    (step === 'link' || (step === 'details' && Array.isArray(looked?.available_schools)))
  )
}
