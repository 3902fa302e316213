import * as z from 'zod/mini'

import type { FindOutcome, Message, Tools } from '../channel.ts'
import { parseJson } from '../../lib/text.ts'
import { ask } from '../http.ts'

/** The parameters shared by all lookups of one account. */
interface TwilioAccess {
  messagesUrl: string
  apiUrl: string
  headers: Record<string, string>
}

const PAGE_SIZE = 100
const MAX_PAGES = 5

/** Twilio's clock may be behind ours; its times are whole seconds. */
const CLOCK_SLACK_MS = 60_000

/** Trial accounts add this prefix to every text. */
const TRIAL_PREFIX = 'Sent from your Twilio trial account - '

/** Twilio accepted these and gave up: nothing arrived, so they do not count as found. */
const DEAD_STATUSES = new Set(['failed', 'undelivered', 'canceled'])

const page = z.object({
  messages: z.array(
    z.object({
      sid: z.string().check(z.minLength(1)),
      to: z.string(),
      body: z.nullable(z.string()),
      status: z.string(),
      date_created: z.string(),
    }),
  ),
  // Present in every real page, so an empty list without them did not come from Twilio.
  uri: z.string(),
  next_page_uri: z.nullable(z.string()),
})

/**
 * Looks a message up by number, time and text (Twilio, "Read multiple Message resources"). `DateSent>` takes a UTC day
 * and means on or after it. A message still in Twilio's queue has no DateSent yet, so if the days have no match, the
 * newest messages to the number are read without the filter too. Only complete, readable lists can say 'absent'.
 */
export async function findTwilioMessage(
  access: TwilioAccess,
  tools: Tools,
  message: Message,
  since: number,
  signal?: AbortSignal,
): Promise<FindOutcome> {
  const earliest = since - CLOCK_SLACK_MS
  const day = new Date(earliest).toISOString().slice(0, 10)
  const ofDays = new URLSearchParams({ To: message.address, 'DateSent>': day, PageSize: String(PAGE_SIZE) })
  const newest = new URLSearchParams({ To: message.address, PageSize: String(PAGE_SIZE) })

  let url: string | null = `${access.messagesUrl}?${ofDays}`
  for (let pages = 0; url !== null; pages += 1) {
    if (pages === MAX_PAGES) return { kind: 'cannot_ask', reason: 'too many messages to this number to look through' }
    const read = await readPage(access, tools, url, signal)
    if (read.kind === 'cannot_ask') return read
    const found = pick(read.page, message, earliest)
    if (found !== null) return found
    const next = read.page.next_page_uri ?? ''
    url = next === '' ? null : nextUrl(access, url, next)
    if (url === '') return { kind: 'cannot_ask', reason: 'the next page of the list is on another server' }
  }
  const read = await readPage(access, tools, `${access.messagesUrl}?${newest}`, signal)
  if (read.kind === 'cannot_ask') return read
  return pick(read.page, message, earliest) ?? { kind: 'absent' }
}

type Page = z.infer<typeof page>

async function readPage(
  access: TwilioAccess,
  tools: Tools,
  url: string,
  signal?: AbortSignal,
): Promise<{ kind: 'page'; page: Page } | { kind: 'cannot_ask'; reason: string }> {
  const answer = await ask(tools, url, { method: 'GET', headers: access.headers }, signal)
  if (answer.kind !== 'answer') return { kind: 'cannot_ask', reason: answer.reason }
  if (answer.status !== 200) return { kind: 'cannot_ask', reason: `HTTP ${answer.status}` }
  const parsed = page.safeParse(parseJson(answer.text))
  if (!parsed.success) return { kind: 'cannot_ask', reason: 'the list cannot be read' }
  return { kind: 'page', page: parsed.data }
}

function pick(list: Page, message: Message, earliest: number): FindOutcome | null {
  const texts = new Set([normal(message.text), normal(TRIAL_PREFIX + message.text)])
  for (const { sid, to, body, status, date_created } of list.messages) {
    if (to !== message.address || DEAD_STATUSES.has(status) || !texts.has(normal(body ?? ''))) continue
    const created = Date.parse(date_created)
    if (Number.isNaN(created)) return { kind: 'cannot_ask', reason: 'the list has a time that cannot be read' }
    if (created >= earliest) return { kind: 'found', provider_id: sid }
  }
  return null
}

function normal(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}

/** The next page's address on the same server (our credentials go nowhere else); '' for any other. */
function nextUrl(access: TwilioAccess, current: string, next: string): string {
  const isApiPath = next.startsWith('/2010-04-01/')
  const url = URL.parse(isApiPath ? access.apiUrl + next : next, current)
  return url !== null && url.origin === new URL(access.apiUrl).origin ? url.href : ''
}
