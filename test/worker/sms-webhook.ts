import { env, exports } from 'cloudflare:workers'
import { twilioSignature } from '../notify/twilio-signature.ts'

/** As in the test settings. */
export const authToken = 'test-twilio-token'

/** Posts a form to a path of the site without following redirects. */
export async function postForm(
  path: string,
  fields: Record<string, string>,
  headers: Record<string, string> = {},
): Promise<Response> {
  const body = new URLSearchParams(fields)
  return exports.default.fetch(new Request(env.APP_URL + path, { method: 'POST', body, headers, redirect: 'manual' }))
}

/** A call as Twilio makes it. */
export async function postSigned(path: string, fields: Record<string, string>): Promise<Response> {
  const signature = await twilioSignature(env.APP_URL + path, Object.entries(fields), authToken)
  return postForm(path, fields, { 'x-twilio-signature': signature })
}

/** A text from a phone to our number. */
export const reply = (From: string, Body: string): Promise<Response> =>
  postSigned('/notify/sms/inbound', { From, To: env.SMS_FROM, Body })
