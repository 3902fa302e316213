/** Somebody new who came through Discord. */
export interface Applicant {
  discordId: string
  /** '' when they brought none. */
  referral: string
  /** Asks Discord, once; rejects when it fails, which admits nobody. */
  guildIds: () => Promise<readonly string[]>
}

/** `reason`: a sentence without its full stop. */
export type Admission = { admitted: true } | { admitted: false; reason: string }

/** Who may have an account. Handed over by whoever puts the site together, because referrals and servers are the directory's. */
export type Admit = (env: Env, applicant: Applicant) => Promise<Admission>

/** Said to those who were not admitted. */
export function refusalOf(reason: string): string {
  return `${reason}. Account creation requires either a valid referral code or membership in one the special discord servers`
}
