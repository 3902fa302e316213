import { generateRandomString } from 'oslo/crypto'

/** django-allauth's MFA_RECOVERY_CODE_COUNT and _DIGITS. */
export const RECOVERY_CODE_COUNT = 10
const DIGITS = 8

/** Ten different codes. Shown once; only hashes are kept. */
export function newRecoveryCodes(): string[] {
  const codes = new Set<string>()
  while (codes.size < RECOVERY_CODE_COUNT) codes.add(generateRandomString(DIGITS, '0123456789'))
  return [...codes]
}

/** A typed code without the spaces and hyphens people put into it. */
export const plainCode = (typed: string): string => typed.slice(0, 100).replace(/[\s-]/g, '')
export const isRecoveryCode = (code: string): boolean => /^\d{8}$/.test(code)
