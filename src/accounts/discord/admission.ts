import type { MessageLink } from '../../lib/contract.ts'

export interface Applicant {
  discordId: string
  /** '' without one. */
  referral: string
  /** Asks Discord once. Rejects when that fails; no one is admitted then. */
  guildIds: () => Promise<readonly string[]>
}

/** `reason`: a sentence without its full stop. `trusted`: servers whose members are admitted. */
export type Admission = { admitted: true } | { admitted: false; reason: string; trusted: readonly MessageLink[] }

/** Decides who may have an account. The app passes this in, because referrals and servers belong to the directory. */
export type Admit = (env: Env, applicant: Applicant) => Promise<Admission>

/** The message to a user who was not admitted; the trusted servers follow it. */
export function refusalOf({ reason }: Extract<Admission, { admitted: false }>): string {
  return `${reason}. Account creation requires either a valid referral code or membership in one the special discord servers`
}
