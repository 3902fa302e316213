import { randomBytes } from 'node:crypto'
import type { SmsRecord, World } from '../world.ts'

export const API_VERSION = '2010-04-01'

const GSM_BASIC =
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà'
const GSM_EXTENDED = '^{}\\[~]|€'

/** How many SMS segments a text takes: 160 or 153 GSM-7 characters each, 70 or 67 UCS-2 units. */
function segmentsOf(body: string): number {
  const characters = [...body]
  const gsm = characters.every((c) => GSM_BASIC.includes(c) || GSM_EXTENDED.includes(c))
  const units = gsm ? characters.reduce((sum, c) => sum + (GSM_EXTENDED.includes(c) ? 2 : 1), 0) : body.length
  const [single, part] = gsm ? [160, 153] : [70, 67]
  return units <= single ? 1 : Math.ceil(units / part)
}

/** Stores a message; only what the app itself sent belongs in the outbox. */
export function record(world: World, message: Omit<SmsRecord, 'sid' | 'at' | 'errorCode' | 'inOutbox'>): SmsRecord {
  const kept: SmsRecord = {
    ...message,
    sid: `SM${randomBytes(16).toString('hex')}`,
    errorCode: null,
    at: world.now(),
    inOutbox: message.direction === 'outbound-api',
  }
  world.messages.push(kept)
  world.changed()
  return kept
}

/** A message as Twilio's API shows it. */
export function resourceOf(world: World, message: SmsRecord): object {
  const { twilioAccountSid } = world.options
  const uri = `/${API_VERSION}/Accounts/${twilioAccountSid}/Messages/${message.sid}.json`
  const date = new Date(message.at).toUTCString().replace('GMT', '+0000')
  return {
    account_sid: twilioAccountSid,
    api_version: API_VERSION,
    body: message.body,
    date_created: date,
    date_sent: message.status === 'queued' ? null : date,
    date_updated: date,
    direction: message.direction,
    error_code: message.errorCode,
    error_message: message.errorCode === null ? null : 'Unknown destination handset',
    from: message.from,
    messaging_service_sid: null,
    num_media: '0',
    num_segments: String(segmentsOf(message.body)),
    price: null,
    price_unit: 'USD',
    sid: message.sid,
    status: message.status,
    subresource_uris: { media: uri.replace('.json', '/Media.json') },
    to: message.to,
    uri,
  }
}
