import { endpointIn } from '../../notify/push/push-address.ts'
import { isSigned, signatureOf } from '../../web/signing.ts'

const purpose = 'device'

/**
 * The token with which a device reports or changes its subscription: `{contact id}.{signature}`. It is bound to the
 * endpoint, because ids are reused.
 */
export async function deviceToken(env: Env, contactId: number, address: string): Promise<string> {
  return `${contactId}.${await signatureOf(env, purpose, signedText(contactId, address))}`
}

/** The contact that a token names, or null if it is not a token. Believe it only after {@link isDeviceTokenOf}. */
export function deviceNamedBy(token: string): number | null {
  const [, id] = /^([1-9]\d{0,14})\.[\w-]{43}$/.exec(token) ?? []
  return id === undefined ? null : Number(id)
}

/** Whether the token was made for this device at this address. */
export function isDeviceTokenOf(env: Env, token: string, contactId: number, address: string): Promise<boolean> {
  return isSigned(env, purpose, signedText(contactId, address), token.slice(token.indexOf('.') + 1))
}

const signedText = (contactId: number, address: string): string => `${contactId}\n${endpointIn(address)}`
