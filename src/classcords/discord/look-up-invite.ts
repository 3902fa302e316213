import { eq } from 'drizzle-orm'
import * as z from 'zod/mini'
import { excluded, query, readFirst, write } from '../../db/query.ts'
import { inviteLookup } from '../../db/schema/index.ts'
import { HOUR_MS, MINUTE_MS } from '../../lib/time.ts'
import { parseJson } from '../../lib/text.ts'
import { API_VERSION, discordHeaders } from '../../notify/discord/api.ts'
import { ask, type HttpAnswer } from '../../notify/http.ts'
import { GuildInvite, readInviteAnswer } from './invite-answer.ts'

/** The timeout of one try, in ms. */
const TIMEOUT_MS = 5000
const MAX_TRIES = 3
/** No pause is longer, and no try begins later than this, because a person is waiting for the page. */
const MAX_WAIT_MS = 2500
/** The longest pause that Discord is believed to need, so that one wrong answer does not end all checks. */
const MAX_PAUSE_MS = HOUR_MS
const KEEP_GUILD_MS = 5 * MINUTE_MS
/** Short, because the invite may have just been created. */
const KEEP_DEAD_MS = 30_000

/** What a call to Discord depends on; tests replace them. */
interface DiscordTools {
  fetch: typeof fetch
  wait: (ms: number) => Promise<unknown>
  timeoutMs: number
}
export const discordTools: DiscordTools = { fetch, wait: (ms) => scheduler.wait(ms), timeoutMs: TIMEOUT_MS }

/**
 * `dead`: Discord says that the code is unknown. `unsure`: no usable answer (timeout, 5xx, an HTML page, 429), which
 * never counts against an invite; `retry_after_ms` is the pause Discord asked for, if any.
 */
export type Lookup =
  | { kind: 'guild'; invite: GuildInvite }
  | { kind: 'not_guild' }
  | { kind: 'dead' }
  | { kind: 'unsure'; reason: string; timed_out: boolean; retry_after_ms: number | null }

/** Retries after 5xx, lost connections, and a 429 with a short pause. Never throws. */
export async function lookUpInvite(
  env: Env,
  code: string,
  tools: DiscordTools = discordTools,
  tries = MAX_TRIES,
): Promise<Lookup> {
  const url = `${env.DISCORD_API_URL}${API_VERSION}/invites/${encodeURIComponent(code)}?with_counts=true&with_expiration=true`
  const started = Date.now()
  for (let attempt = 1; ; attempt += 1) {
    const answer = await ask({ fetch: tools.fetch, now: Date.now, timeoutMs: tools.timeoutMs }, url, {
      method: 'GET',
      headers: { accept: 'application/json', ...discordHeaders(env.APP_URL) },
    })
    const lookup =
      answer.kind === 'answer'
        ? readLookUp(answer, code)
        : { ...unsure(answer.reason), timed_out: answer.reason.startsWith('no answer within') }
    const wait = pauseBefore(lookup, answer.kind === 'answer' ? answer.status : null, attempt)
    if (wait === null || attempt >= tries || Date.now() + wait - started > MAX_WAIT_MS) return lookup
    await tools.wait(wait)
  }
}

/** How long to wait before the next try, in ms; null: no further try. */
function pauseBefore(lookup: Lookup, status: number | null, attempt: number): number | null {
  if (lookup.kind !== 'unsure' || lookup.timed_out) return null
  if (status === 429) {
    const pause = lookup.retry_after_ms
    return pause !== null && pause <= MAX_WAIT_MS ? pause : null
  }
  return status === null || status >= 500 ? 200 * attempt : null
}

/** Discord gave no usable answer, but not because of a timeout. */
export const unsure = (reason: string, retryAfterMs: number | null = null) => ({
  kind: 'unsure' as const,
  reason,
  timed_out: false,
  retry_after_ms: retryAfterMs,
})

const UnknownInvite = z.object({ code: z.literal(10006) })

function readLookUp(answer: HttpAnswer, code: string): Lookup {
  const body = parseJson(answer.text)
  if (answer.status === 429) return unsure('Discord is busy', retryAfterOf(answer, body))
  // A 404 that is not Discord's own may be a proxy's.
  if (answer.status === 404) return UnknownInvite.safeParse(body).success ? { kind: 'dead' } : unsure('status 404')
  if (answer.status !== 200) return unsure(`status ${answer.status}`)
  const invite = readInviteAnswer(body, code)
  if (invite === null) return unsure('an unexpected answer')
  return invite === 'not_guild' ? { kind: 'not_guild' } : { kind: 'guild', invite }
}

/** Discord writes fractions of a second into the body and whole seconds into the header. */
function retryAfterOf(answer: HttpAnswer, body: unknown): number {
  const sent = z.object({ retry_after: z.number().check(z.positive()) }).safeParse(body)
  const seconds = sent.success ? sent.data.retry_after : Number(answer.headers.get('retry-after') ?? Number.NaN)
  return Number.isFinite(seconds) && seconds > 0 ? Math.min(Math.ceil(seconds * 1000), MAX_PAUSE_MS) : MINUTE_MS
}

/** {@link lookUpInvite}, asking about a code at most once in five minutes. An unsure lookup is not stored. */
export async function lookUpCached(env: Env, code: string, now: number): Promise<Lookup> {
  const { answer, fetchedAt } = inviteLookup
  const kept = await readFirst(
    env.DB,
    query.select({ answer, fetched_at: fetchedAt }).from(inviteLookup).where(eq(inviteLookup.code, code)),
  )
  if (kept && kept.fetched_at > now - (kept.answer === null ? KEEP_DEAD_MS : KEEP_GUILD_MS))
    return readStored(kept.answer)
  const lookup = await lookUpInvite(env, code)
  if (lookup.kind === 'guild' || lookup.kind === 'dead') await write(env.DB, storeLookUp(code, lookup, now))
  return lookup
}

/** A lookup from the stored `answer`, which is null for a dead invite. */
export const readStored = (answer: string | null): Lookup =>
  answer === null ? { kind: 'dead' } : { kind: 'guild', invite: GuildInvite.parse(JSON.parse(answer)) }

export function storeLookUp(code: string, lookup: Extract<Lookup, { kind: 'guild' | 'dead' }>, now: number) {
  const { answer, fetchedAt } = inviteLookup
  return query
    .insert(inviteLookup)
    .values({ code, answer: lookup.kind === 'guild' ? JSON.stringify(lookup.invite) : null, fetchedAt: now })
    .onConflictDoUpdate({
      target: inviteLookup.code,
      set: { answer: excluded(answer), fetchedAt: excluded(fetchedAt) },
    })
}
