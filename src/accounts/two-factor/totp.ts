import { base32 } from 'oslo/encoding'
import { createTOTPKeyURI, generateHOTP } from 'oslo/otp'
import { isSameText } from '../../web/security/signing.ts'
import { generateRandomString } from 'oslo/crypto'

/** RFC 6238's time step, in ms. */
const STEP_MS = 30_000
const DIGITS = 6

/** The time step a moment is in. @param now ms since epoch */
export const stepOf = (now: number): number => Math.floor(now / STEP_MS)

/** Whether it is the code of exactly that time step: a code is valid for 30 s at most. */
export async function isCodeOf(secret: Uint8Array, step: number, code: string): Promise<boolean> {
  return /^\d{6}$/.test(code) && isSameText(await generateHOTP(secret, step, DIGITS), code)
}

/** The address in the QR code. @param account shown by the app */
export function keyAddress(secret: Uint8Array, account: string): string {
  return createTOTPKeyURI('Class Cords', account, secret)
}

/** The secret as it is typed into an app, in groups of four. */
export function typedSecret(secret: Uint8Array): string {
  return base32.encode(secret, { includePadding: false }).replace(/.{4}(?=.)/g, '$& ')
}

/** django-allauth's MFA_RECOVERY_CODE_COUNT and _DIGITS. */
export const RECOVERY_CODE_COUNT = 10
const RECOVERY_CODE_DIGITS = 8

/** Ten different codes. Shown once; only hashes are kept. */
export function newRecoveryCodes(): string[] {
  const codes = new Set<string>()
  while (codes.size < RECOVERY_CODE_COUNT) codes.add(generateRandomString(RECOVERY_CODE_DIGITS, '0123456789'))
  return [...codes]
}

/** A typed code without the spaces and hyphens people put into it. */
export const plainCode = (typed: string): string => typed.slice(0, 100).replace(/[\s-]/g, '')
export const isRecoveryCode = (code: string): boolean => /^\d{8}$/.test(code)
