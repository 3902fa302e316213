import { useEffect, useReducer, useState } from 'react'
import type { School, ValidateDiscordInvite } from '../../../src/classcords/contract.ts'
import { reloadPage } from '../../components/dialog-history.ts'
import { privacyChangeText } from '../../components/privacy-change.ts'
import { useAct } from '../../components/use-act.ts'
import { calls } from './calls.ts'
import { draftWith, inviteLink, knownServerForm, newDraft, submissionForm, type Draft } from './submission.ts'
import { recall, remember } from '../../storage.ts'
import { CallError } from '#in-browser/errors.ts'

/** A submission in progress: it survives its dialog, a reload and a login, in this tab. */
interface KeptDraft {
  step: 'link' | 'details'
  draft: Draft
  /** Null before the link was validated. */
  looked: ValidateDiscordInvite | null
}

/** One key per user, because people may share a browser. */
const keyOf = (owner: string) => `classcords:draft:${owner}`

/** @param owner the Discord id of the person who typed it @returns null if nothing is kept */
function recallDraft(owner: string): KeptDraft | null {
  return recall('session', keyOf(owner), isKeptDraft)
}

/** Stores what was typed; an empty form is not stored. Null deletes it. */
function keepDraft(owner: string, kept: KeptDraft | null): void {
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

const RELOAD_DELAY_MS = 100
/** The answers to a wrong link. With the others, it could not be checked. */
const wrongLinkStatuses = [400, 409, 422]

export type Step = 'link' | 'details' | 'done'

interface SubmissionOptions {
  /** The initial draft; one without a link continues with an earlier draft. */
  draft: Draft
  /** The Discord id of the submitter. */
  owner: string
  ownSchool: School | null
}

/** A submission step by step, kept until it is sent. At the end the page is reloaded. */
export function useSubmission({ draft: first, owner, ownSchool }: SubmissionOptions) {
  const [kept] = useState(() => (first.inviteUrl === '' ? recallDraft(owner) : null))
  const [isResumed, setResumed] = useState(kept !== null)
  const [step, setStep] = useState<Step>(kept?.step ?? 'link')
  const [draft, change] = useReducer(draftWith, kept?.draft ?? first)
  /** What Discord and the directory know about the link; null until it was validated. */
  const [looked, setLooked] = useState<ValidateDiscordInvite | null>(kept?.looked ?? null)
  const { busy, errors, act, setErrors } = useAct()
  const [isLinkWrong, setLinkWrong] = useState(false)

  const [isTyped, setTyped] = useState(kept !== null)

  useEffect(() => {
    // An edit starts from the submission itself, so it is not kept; and what was only looked at replaces no kept draft.
    if (draft.replaces === undefined && isTyped) keepDraft(owner, step === 'done' ? null : { step, draft, looked })
  }, [owner, step, draft, looked, isTyped])

  async function send(form: FormData): Promise<void> {
    await calls.submitInvite(form)
    setStep('done')
    setTimeout(reloadPage, RELOAD_DELAY_MS)
  }

  /** An error is about what was typed before. */
  function edit(to: Partial<Draft>): void {
    setErrors([])
    setTyped(true)
    change(to)
  }

  /** Validates the link. An invite to a known server is submitted immediately. */
  async function lookUp(): Promise<void> {
    setLinkWrong(false)
    const found = await calls.validateInvite(inviteLink(draft.inviteUrl), draft.replaces).catch((error: unknown) => {
      setLinkWrong(error instanceof CallError && wrongLinkStatuses.includes(error.status))
      throw error
    })
    const { guild_info: guild, existing_server_info: known, available_schools: schools } = found
    setLooked(found)
    // A server without a school cannot be submitted with its stored data.
    if (known !== null && known.schools.length > 0 && draft.replaces === undefined)
      return send(knownServerForm(draft, guild, known, schools))
    const obvious = schools.length === 1 ? schools[0] : schools.find(({ id }) => id === ownSchool?.id)
    const isStored = known !== null && draft.replaces === undefined
    change({
      school: schools.find(({ id }) => id === draft.school?.id) ?? obvious ?? null,
      ...(isStored && { privacy: known.privacy_level_info.value }),
    })
    setStep('details')
  }

  function next(): void {
    act(lookUp)
  }

  function back(): void {
    setErrors([])
    setStep('link')
  }

  function submit(): void {
    if (!looked) return
    const known = looked.existing_server_info?.privacy_level_info.value ?? draft.privacy
    const isSeen = known !== draft.privacy || errors.includes(privacyChangeText(draft.privacy))
    act(() => send(submissionForm(draft, looked.guild_info, isSeen)))
  }

  function startOver(): void {
    setResumed(false)
    setErrors([])
    setStep('link')
    setLooked(null)
    change(newDraft())
  }

  /** The server refused the link as it is typed now. */
  const isLinkRefused = isLinkWrong && step === 'link' && errors.length > 0
  return {
    isLinkRefused,
    step,
    draft,
    isTyped,
    looked,
    busy,
    errors,
    change: edit,
    next,
    back,
    submit,
    isResumed,
    startOver,
  }
}
