import type { ValidateDiscordInvite } from '../../../src/classcords/contract.ts'
import { recall, remember } from '../../storage.ts'
import type { Draft } from './submission.ts'

/** A submission in progress: it survives its dialog, a reload and a login, in this tab. */
interface KeptDraft {
  step: 'link' | 'details'
  draft: Draft
  /** Null before the link was validated. */
  looked: ValidateDiscordInvite | null
}

/** One key per user, because people may share a browser. */
const keyOf = (owner: string) => `classcords:draft:${owner}`

/**
 * @param owner the Discord id of the person who typed it
 * @returns null if nothing is kept
 */
export function recallDraft(owner: string): KeptDraft | null {
  return recall('session', keyOf(owner), isKeptDraft)
}

/** Stores what was typed; an empty form is not stored. Null deletes it. */
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
