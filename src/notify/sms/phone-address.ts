import { type MetadataJson, parsePhoneNumberFromString } from 'libphonenumber-js/core'
import metadata from '../../../.build/phone-metadata.json' with { type: 'json' }

/** Written by the build; its type is the library's own. */
const numbering = metadata as unknown as MetadataJson

/**
 * A typed number in E.164 (US by default), or what is wrong with it. Checks the country code and the length, not
 * whether the number is assigned: numbering plans change faster than our copy. In the North American plan an area code
 * starts with 2 to 9.
 */
export function parsePhone(text: string): { address: string } | { error: string } {
  const number = parsePhoneNumberFromString(text, { defaultCountry: 'US', extract: false }, numbering)
  if (!number?.isPossible() || /^\+1[01]/.test(number.number))
    return { error: 'Enter a valid phone number, e.g. (212) 555-0123.' }
  if (number.ext) return { error: 'A number with an extension cannot receive messages.' }
  return { address: number.number }
}

/** Whether a sender or address is a phone number in E.164; texts also come from short codes and names. */
export const isPhoneNumber = (address: string): boolean => /^\+[1-9]\d{6,14}$/.test(address)

/** '•••• 0143' */
export function maskedPhone(address: string): string {
  const digits = address.replace(/\D/g, '')
  return digits.length < 8 ? '••••' : `•••• ${digits.slice(-4)}`
}
