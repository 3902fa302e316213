/** django-allauth's MFA_RECOVERY_CODE_COUNT and _DIGITS. */
export const RECOVERY_CODE_COUNT = 10
const DIGITS = 8

/** Ten different codes. Shown once; only hashes are kept. */
export function newRecoveryCodes(): string[] {
  const codes = new Set<string>()
  while (codes.size < RECOVERY_CODE_COUNT) codes.add(randomDigits())
  return [...codes]
}

/** All codes are equally likely: numbers above the largest multiple of the range are discarded. */
function randomDigits(): string {
  const range = 10 ** DIGITS
  const limit = Math.floor(2 ** 32 / range) * range
  for (;;) {
    const [number = limit] = crypto.getRandomValues(new Uint32Array(1))
    if (number < limit) return String(number % range).padStart(DIGITS, '0')
  }
}

/** A typed code without the spaces and hyphens people put into it. */
export const plainCode = (typed: string): string => typed.slice(0, 100).replace(/[\s-]/g, '')
export const isRecoveryCode = (code: string): boolean => /^\d{8}$/.test(code)
