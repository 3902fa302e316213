import { randomFrom } from '../random.ts'
import { formOf, json, type Answer, type Call, type StandIn } from '../http.ts'
import type { SmsRecord, World } from '../world.ts'
import { API_VERSION, record, resourceOf } from './messages.ts'
import { postSigned } from './signature.ts'

/** Numbers with special behavior; the first three are Twilio's documented test numbers. */
const INVALID = '+15005550001'
const BLOCKED = '+15005550004'
const NOT_MOBILE = '+15005550009'
const UNREACHABLE = '+12025550199'

const MAX_BODY = 1600

function twilioError(status: number, code: number, message: string): Answer {
  return json({ code, message, more_info: `https://www.twilio.com/docs/errors/${code}`, status }, status)
}

function authorized(world: World, call: Call): boolean {
  const { twilioAccountSid, twilioAuthToken } = world.options
  const expected = `Basic ${Buffer.from(`${twilioAccountSid}:${twilioAuthToken}`).toString('base64')}`
  return call.headers.authorization === expected
}

function refusal(world: World, form: URLSearchParams): Answer | null {
  const [to, from, body] = [
    form.get('To') ?? '',
    form.get('From') ?? form.get('MessagingServiceSid') ?? '',
    form.get('Body') ?? '',
  ]
  if (!to) return twilioError(400, 21604, "A 'To' phone number is required.")
  if (!from) return twilioError(400, 21603, "A 'From' phone number is required.")
  if (!body) return twilioError(400, 21602, 'Message body is required.')
  if (body.length > MAX_BODY)
    return twilioError(400, 21617, 'The concatenated message body exceeds the 1600 character limit')
  if (!/^\+[1-9]\d{7,14}$/.test(to) || to === INVALID)
    return twilioError(400, 21211, `The 'To' number ${to} is not a valid phone number.`)
  if (to === NOT_MOBILE) return twilioError(400, 21614, `'To' number is not a valid mobile number`)
  if (to === BLOCKED || world.optedOut.has(to))
    return twilioError(400, 21610, 'Attempt to send to unsubscribed recipient')
  return null
}

/** Moves a message to its end and reports each step to the app, if it requested reports. */
function deliver(world: World, message: SmsRecord, callback: string | null): void {
  const report = (status: SmsRecord['status']): void => {
    message.status = status
    if (status === 'undelivered') message.errorCode = 30005
    world.changed()
    if (callback === null) return
    const params = new URLSearchParams({
      SmsSid: message.sid,
      SmsStatus: status,
      MessageStatus: status,
      To: message.to,
      MessageSid: message.sid,
      AccountSid: world.options.twilioAccountSid,
      From: message.from,
      ApiVersion: API_VERSION,
      ...(message.errorCode === null ? {} : { ErrorCode: String(message.errorCode) }),
    })
    // A report that no one accepts is lost, as with the real provider.
    postSigned(world.options.twilioAuthToken, callback, params).catch(() => undefined)
  }
  const { sentMs, endMs } = reportTimes(world, message)
  setTimeout(() => report('sent'), sentMs).unref()
  setTimeout(() => report(message.to === UNREACHABLE ? 'undelivered' : 'delivered'), endMs).unref()
}

/** When the two reports on a message are due, ms after it was accepted. */
function reportTimes({ options: { smsDeliveryMs: times, seed } }: World, { to }: SmsRecord) {
  if (typeof times === 'number') return { sentMs: times / 2, endMs: times }
  const random = randomFrom(`${seed} ${to}`)
  return {
    sentMs: random.between(times.sent.least, times.sent.most),
    endMs: random.between(times.delivered.least, times.delivered.most),
  }
}

async function send(world: World, call: Call): Promise<Answer> {
  const form = formOf(call)
  const refused = refusal(world, form)
  if (refused) return refused
  const message = record(world, {
    to: form.get('To') ?? '',
    from: form.get('From') ?? world.options.smsFrom,
    body: form.get('Body') ?? '',
    direction: 'outbound-api',
    status: 'queued',
  })
  deliver(world, message, form.get('StatusCallback'))
  if (world.options.smsAnswerMs > 0)
    await new Promise((resolve) => setTimeout(resolve, world.options.smsAnswerMs).unref())
  return json(resourceOf(world, message), 201)
}

/** The start of the day or time that a DateSent filter names, in ms; NaN if it names none. */
function moment(value: string): number {
  return Date.parse(value.length === 10 ? `${value}T00:00:00Z` : value)
}

function listMessages(world: World, call: Call): Answer {
  const query = call.url.searchParams
  const [to, from] = [query.get('To'), query.get('From')]
  const day = query.get('DateSent')
  const after = query.get('DateSent>') ?? query.get('DateSentAfter')
  const before = query.get('DateSent<') ?? query.get('DateSentBefore')
  const found = world.messages
    .filter((message) => (to === null || message.to === to) && (from === null || message.from === from))
    .filter(({ at }) => day === null || (at >= moment(day) && at < moment(day) + 86_400_000))
    .filter(({ at }) => after === null || at >= moment(after))
    .filter(({ at }) => before === null || at < moment(before) + (before.length === 10 ? 86_400_000 : 1))
    .toReversed()
  const size = Math.min(Math.max(1, Number(query.get('PageSize')) || 50), 1000)
  const page = Math.max(0, Number(query.get('Page')) || 0)
  const uri = (number: number): string => {
    const next = new URLSearchParams(query)
    next.set('PageSize', String(size))
    next.set('Page', String(number))
    return `/${API_VERSION}/Accounts/${world.options.twilioAccountSid}/Messages.json?${next}`
  }
  const shown = found.slice(page * size, (page + 1) * size)
  return json({
    messages: shown.map((message) => resourceOf(world, message)),
    page,
    page_size: size,
    start: page * size,
    end: Math.max(page * size, page * size + shown.length - 1),
    uri: uri(page),
    first_page_uri: uri(0),
    next_page_uri: found.length > (page + 1) * size ? uri(page + 1) : null,
    previous_page_uri: page > 0 ? uri(page - 1) : null,
  })
}

/** An SMS provider that speaks Twilio's messaging API. */
export function smsStandIn(world: World): StandIn {
  const account = `/${API_VERSION}/Accounts/${world.options.twilioAccountSid}`
  const isSend = (call: Call): boolean => call.method === 'POST' && call.path === `${account}/Messages.json`
  return {
    service: 'sms',
    prefix: '/sms',
    accepts: (call) => isSend(call) && authorized(world, call),
    answer: (call) => {
      if (!authorized(world, call)) return twilioError(401, 20003, 'Authenticate')
      if (isSend(call)) return send(world, call)
      if (call.method === 'GET' && call.path === `${account}/Messages.json`) return listMessages(world, call)
      const sid = call.path.match(/\/Messages\/(SM[0-9a-f]{32})\.json$/)?.[1]
      const message = world.messages.find((candidate) => candidate.sid === sid)
      if (call.method === 'GET' && message && call.path.startsWith(account)) return json(resourceOf(world, message))
      return twilioError(404, 20404, `The requested resource ${call.path} was not found`)
    },
    // Created without a message: nothing to look up later.
    emptyAnswer: (call) => (call.method === 'POST' ? json({}, 201) : json({ messages: [] })),
    errorBody: (status) => ({
      type: 'application/json;charset=UTF-8',
      body: JSON.stringify(
        status === 429
          ? { code: 20429, message: 'Too Many Requests', more_info: 'https://www.twilio.com/docs/errors/20429', status }
          : {
              code: 20500,
              message: 'An internal server error has occurred',
              more_info: 'https://www.twilio.com/docs/errors/20500',
              status,
            },
      ),
    }),
  }
}
