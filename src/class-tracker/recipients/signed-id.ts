import { isSigned, signatureOf } from '../../web/security/signing.ts'
import { endpointIn } from '../../notify/push/push-address.ts'

/** `{id}.{signature}`. Ids are reused, so `text` must tell the row from an earlier one of the same id. */
export async function signedId(env: Env, purpose: string, { id, text }: { id: number; text: string }): Promise<string> {
  return `${id}.${await signatureOf(env, purpose, text)}`
}

/** The id in a token, or null if it is not a token. Believe it only after {@link isSignedId}. */
export function idIn(token: string): number | null {
  const [, id] = /^([1-9]\d{0,14})\.[\w-]{43}$/.exec(token) ?? []
  return id === undefined ? null : Number(id)
}

/** Whether the token was made for this purpose and text. */
export function isSignedId(env: Env, purpose: string, token: string, text: string): Promise<boolean> {
  return isSigned(env, purpose, text, token.slice(token.indexOf('.') + 1))
}

const signedText = (contactId: number, address: string): string => `${contactId}\n${endpointIn(address)}`

/** The token with which a device reports or changes its subscription: its contact's id, bound to the endpoint. */
export function deviceToken(env: Env, contactId: number, address: string): Promise<string> {
  return signedId(env, 'device', { id: contactId, text: signedText(contactId, address) })
}

/** Whether the token was made for this device at this address. */
export function isDeviceTokenOf(env: Env, token: string, contactId: number, address: string): Promise<boolean> {
  return isSignedId(env, 'device', token, signedText(contactId, address))
}
