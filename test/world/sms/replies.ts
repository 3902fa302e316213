import type { World } from '../world.ts'
import { API_VERSION, record } from './messages.ts'
import { postSigned } from './signature.ts'

const STOP_WORDS = new Set(['STOP', 'STOPALL', 'UNSUBSCRIBE', 'CANCEL', 'END', 'QUIT', 'REVOKE', 'OPTOUT'])
const START_WORDS = new Set(['START', 'YES', 'UNSTOP'])

/** The number that this phone gets messages from. */
function correspondent(world: World, phone: string): string {
  return world.messages.findLast((message) => message.to === phone)?.from ?? world.options.smsFrom
}

/** The provider's own opt-out, which works whether or not the app listens. */
function applyKeyword(world: World, phone: string, from: string, word: string): void {
  const answer = (body: string): void => {
    record(world, { to: phone, from, body, direction: 'outbound-reply', status: 'delivered' })
  }
  if (STOP_WORDS.has(word) && !world.optedOut.has(phone)) {
    world.optedOut.add(phone)
    answer(
      'You have successfully been unsubscribed. You will not receive any more messages from this number. Reply START to resubscribe.',
    )
  } else if (START_WORDS.has(word) && world.optedOut.delete(phone)) {
    answer(
      'You have successfully been re-subscribed to messages from this number. Reply HELP for help. Reply STOP to unsubscribe.',
    )
  }
}

function unescapeXml(value: string): string {
  return value
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&apos;', "'")
    .replaceAll('&amp;', '&')
}

/**
 * A person replies on their phone: the provider applies its keywords, then posts the reply to the app's signed webhook
 * and shows the app's TwiML. `status` is the app's, null (with why) if it did not answer.
 */
export async function receiveReply(
  world: World,
  phone: string,
  body: string,
): Promise<{ status: number | null; error: string }> {
  const to = correspondent(world, phone)
  const { sid } = record(world, { to, from: phone, body, direction: 'inbound', status: 'received' })
  const word = body.trim().toUpperCase()
  applyKeyword(world, phone, to, word)
  const { appUrl, twilioAccountSid, twilioAuthToken } = world.options
  const params = new URLSearchParams({
    ToCountry: 'US',
    SmsMessageSid: sid,
    NumMedia: '0',
    SmsSid: sid,
    SmsStatus: 'received',
    Body: body,
    FromCountry: 'US',
    To: to,
    NumSegments: '1',
    MessageSid: sid,
    AccountSid: twilioAccountSid,
    From: phone,
    ApiVersion: API_VERSION,
  })
  try {
    const { status, text } = await postSigned(twilioAuthToken, `${appUrl}/notify/sms/inbound`, params)
    for (const [, message] of text.matchAll(/<Message[^>]*>([\s\S]*?)<\/Message>/g)) {
      const words = unescapeXml((message ?? '').replace(/<[^>]+>/g, '')).trim()
      if (words && !world.optedOut.has(phone))
        record(world, { to: phone, from: to, body: words, direction: 'outbound-reply', status: 'delivered' })
    }
    return { status, error: '' }
  } catch (error) {
    return { status: null, error: error instanceof Error ? error.message : String(error) }
  }
}
