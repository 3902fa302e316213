import { endpointIn } from '../../notify/push/push-address.ts'
import { isSignedId, signedId } from './signed-id.ts'

const purpose = 'device'
const signedText = (contactId: number, address: string): string => `${contactId}\n${endpointIn(address)}`

/** The token with which a device reports or changes its subscription: its contact's id, bound to the endpoint. */
export function deviceToken(env: Env, contactId: number, address: string): Promise<string> {
  return signedId(env, purpose, { id: contactId, text: signedText(contactId, address) })
}

/** Whether the token was made for this device at this address. */
export function isDeviceTokenOf(env: Env, token: string, contactId: number, address: string): Promise<boolean> {
  return isSignedId(env, purpose, token, signedText(contactId, address))
}
