import type { ContentfulStatusCode } from 'hono/utils/http-status'
import type { MessageLink } from '../lib/contract.ts'

/** A form with one field: what is typed becomes `name` in the query of `action`. */
export interface DeadEndForm {
  action: string
  name: string
  label: string
  help: string
  button: string
}

/** The content of a dead end: its own title and one form that helps. */
export interface DeadEnd {
  title: string
  form: DeadEndForm
}

interface RefusalOptions {
  headers?: Record<string, string>
  /** Where the missing step can be done. */
  nextStep?: MessageLink
  deadEnd?: DeadEnd
}

/** A refusal in sentences for people. Thrown anywhere in a request, it becomes a JSON array or a page. */
export class Refusal extends Error {
  readonly status: ContentfulStatusCode
  readonly messages: string[]
  readonly headers: Record<string, string>
  readonly nextStep: MessageLink | null
  readonly deadEnd: DeadEnd | null

  constructor(
    status: ContentfulStatusCode,
    messages: string[],
    { headers = {}, nextStep, deadEnd }: RefusalOptions = {},
  ) {
    super(messages.join(' '))
    this.name = 'Refusal'
    this.status = status
    this.messages = messages
    this.headers = headers
    this.nextStep = nextStep ?? null
    this.deadEnd = deadEnd ?? null
  }
}

const refuse = (
  status: ContentfulStatusCode,
  messages: string[],
  otherwise: string,
  headers: Record<string, string> = {},
) => new Refusal(status, messages.length > 0 ? messages : [otherwise], { headers })

export const badRequest = (...messages: string[]): Refusal =>
  refuse(400, messages, 'This request could not be understood.')
export const unauthorized = (...messages: string[]): Refusal => refuse(401, messages, 'Please log in first.')
export const loggedOut = 'You were logged out. Please log in again.'
export const forbidden = (...messages: string[]): Refusal => refuse(403, messages, 'You are not allowed to do this.')
export const notFound = (...messages: string[]): Refusal => refuse(404, messages, 'There is nothing at this address.')
/** What becomes possible after `nextStep`. */
export const forbiddenUntil = (message: string, nextStep: MessageLink): Refusal =>
  new Refusal(403, [message], { nextStep })
/** @param allow the methods that this address supports */
export const wrongMethod = (allow: string[]): Refusal =>
  new Refusal(405, [`This address accepts only ${allow.join(', ')}.`], { headers: { allow: allow.join(', ') } })
export const conflict = (...messages: string[]): Refusal =>
  refuse(409, messages, 'This conflicts with what is already there.')
export const tooLarge = (): Refusal => new Refusal(413, ['This request is too large.'])
export const wrongContentType = (): Refusal =>
  new Refusal(415, ['Send forms as application/x-www-form-urlencoded or multipart/form-data.'])
export const unprocessable = (...messages: string[]): Refusal => refuse(422, messages, 'We couldn’t accept that.')
/** @param seconds how long to wait before trying again */
export const tooMany = (seconds: number, ...messages: string[]): Refusal =>
  refuse(429, messages, 'Too many requests. Please try again later.', {
    'retry-after': String(Math.max(1, Math.ceil(seconds))),
  })
/** An outside service failed (502) or did not answer in time (504). */
export const upstreamError = (status: 502 | 504, ...messages: string[]): Refusal =>
  refuse(status, messages, 'A service we depend on did not respond. Please try again later.')

/** Why a form was refused. */
export interface FormError {
  /** The name of the field; in the admin, `<inline>-<key or new>-<field>` for a row of an inline. Absent: the whole form. */
  field?: string
  message: string
}

/** Where the focus is when a refused form is shown again: in the first field that is wrong. */
export const firstWrongField = (errors: readonly FormError[]): string | undefined =>
  errors.find(({ field }) => field !== undefined)?.field
