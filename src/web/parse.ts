import type { SiteContext } from './site.ts'
import { malformed, notThere, tooLarge, wrongContentType } from './refusal.ts'

const largestForm = 64 * 1024

/** A positive integer in plain digits; null for anything else. */
export function positiveInteger(text: string | undefined): number | null {
  if (text === undefined || !/^[1-9]\d{0,15}$/.test(text)) return null
  const number = Number(text)
  return Number.isSafeInteger(number) ? number : null
}

/** The id in the path. @throws notThere when it is no positive integer (or, with `zero`, 0). */
export function pathId(c: SiteContext, name: string, options: { zero?: boolean } = {}): number {
  const text = c.req.param(name)
  if (options.zero && text === '0') return 0
  const id = positiveInteger(text)
  if (id === null) throw notThere()
  return id
}

/** The page asked for; anything but a positive integer is page 1. */
export function queryPage(c: SiteContext): number {
  return positiveInteger(c.req.query('page')) ?? 1
}

/** The id in the query, or null when there is none that could be one. */
export function queryId(c: SiteContext, name: string): number | null {
  return positiveInteger(c.req.query(name))
}

/** Whether the body says it is a form. */
export function hasForm(c: SiteContext): boolean {
  const type = (c.req.header('content-type') ?? '').split(';')[0]?.trim().toLowerCase()
  return type === 'application/x-www-form-urlencoded' || type === 'multipart/form-data'
}

/**
 * The form in the body, read once a request.
 * @param options.maximumBytes 64 KiB unless told
 * @throws wrongContentType, tooLarge, malformed
 */
export async function formOf(c: SiteContext, options: { maximumBytes?: number } = {}): Promise<FormData> {
  const form = c.get('form') ?? readForm(c, options.maximumBytes ?? largestForm)
  c.set('form', form)
  return form
}

/** A field's text; '' when it is absent or a file. */
export function textField(form: FormData, name: string): string {
  const value = form.get(name)
  return typeof value === 'string' ? value : ''
}

async function readForm(c: SiteContext, maximumBytes: number): Promise<FormData> {
  if (!hasForm(c)) throw wrongContentType()
  const body = await boundedBody(c.req.raw, maximumBytes)
  try {
    return await new Response(body, { headers: { 'content-type': c.req.header('content-type') ?? '' } }).formData()
  } catch {
    throw malformed('This form could not be read.')
  }
}

/** The length is counted, never believed. */
async function boundedBody(request: Request, maximumBytes: number): Promise<Blob> {
  if (Number(request.headers.get('content-length') ?? 0) > maximumBytes) throw tooLarge()
  const parts: Uint8Array[] = []
  let length = 0
  if (request.body) {
    for await (const part of request.body as ReadableStream<Uint8Array>) {
      length += part.byteLength
      if (length > maximumBytes) throw tooLarge()
      parts.push(part)
    }
  }
  return new Blob(parts)
}
