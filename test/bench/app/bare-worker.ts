import './straight-out.ts'
import type { DurableObjectNamespace } from '@cloudflare/workers-types'

/** What a bare Worker sends: as many requests as messages, over as many connections as the app's. */
export interface BareSending {
  people: number
  url: string
  /** The `Authorization` header. */
  authorization: string
  /** A message's form, `{n}` standing for its number. */
  form: string
}

/** As in the app: the consumer and its runners, with six connections each. */
const RUNNERS = 25
const CONNECTIONS = 6

/** The app's other Durable Objects, which have nothing to do here. */
class Nothing {}
export { Nothing as Checker, Nothing as Ledger, Nothing as Limiter, Nothing as Pacer }

/** Sends every 25th message, six at a time. */
export class Runner {
  async fetch(request: Request): Promise<Response> {
    const { first, ...sending } = (await request.json()) as BareSending & { first: number }
    const { people, url, authorization, form } = sending
    const headers = { authorization, 'content-type': 'application/x-www-form-urlencoded' }
    let next = first
    async function sendSome(): Promise<void> {
      while (next < people) {
        const body = form.replaceAll('{n}', String(next))
        next += RUNNERS
        const answer = await fetch(url, { method: 'POST', headers, body })
        await answer.text()
      }
    }
    await Promise.all(Array.from({ length: CONNECTIONS }, sendSome))
    return new Response(null, { status: 204 })
  }
}

/** Takes the provider's reports. */
export const straight = {
  async fetch(request: Request): Promise<Response> {
    await request.text()
    return new Response(null, { status: 204 })
  },
}

/** The least that the local runtime takes for the requests of a sending: nothing is stored, signed or decided. */
export default {
  async fetch(request: Request, { RUNNER }: { RUNNER: DurableObjectNamespace }): Promise<Response> {
    const sending = (await request.json()) as BareSending
    const runners = Array.from({ length: RUNNERS }, (_, first) =>
      RUNNER.get(RUNNER.idFromName(`bare-${first}`)).fetch('http://runner/', {
        method: 'POST',
        body: JSON.stringify({ ...sending, first }),
      }),
    )
    await Promise.all(runners)
    return Response.json(null)
  },
}
