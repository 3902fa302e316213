import { isEmailAddress } from '../../notify/email/mail-fields.ts'

/** An address as it was typed, without surrounding spaces; null when it cannot receive mail. */
export function typedAddress(text: string): string | null {
  const address = text.trim()
  return isEmailAddress(address) && /@[^@]*[^.@]\.[^.@]+$/.test(address) ? address : null
}

export const notAnAddress = 'Enter a valid email address.'
