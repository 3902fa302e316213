import { base32 } from 'oslo/encoding'
import { createTOTPKeyURI, generateHOTP } from 'oslo/otp'
import { isSameText } from '../../web/security/signing.ts'

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
