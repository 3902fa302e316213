import { bodyLimit } from 'hono/body-limit'
import type { SiteContext } from './site.ts'
import { badRequest, notFound, tooLarge, wrongContentType } from './refusal.ts'

/** Counted if the client sends no length; the runtime enforces a length that was sent. */
const limitForm = (maxSize: number) =>
  bodyLimit({
    maxSize,
    onError: () => {
      throw tooLarge()
    },
  })

const limitAnyForm = limitForm(64 * 1024)
/** A row's form has up to a hundred other rows in it, whose texts take up to nine bytes a character. */
const limitAdminForm = limitForm(512 * 1024)

/** A positive integer in plain digits; null for anything else. */
export function positiveInteger(text: string | undefined): number | null {
  if (text === undefined || !/^[1-9]\d{0,15}$/.test(text)) return null
  const number = Number(text)
  return Number.isSafeInteger(number) ? number : null
}

/** The id in the path. @throws notFound unless it is a positive integer (or, with `zero`, 0). */
export function pathId(c: SiteContext, name: string, options: { zero?: boolean } = {}): number {
  const text = c.req.param(name)
  if (options.zero && text === '0') return 0
  const id = positiveInteger(text)
  if (id === null) throw notFound()
  return id
}

/** The requested page; anything but a positive integer means page 1. */
export function queryPage(c: SiteContext): number {
  return positiveInteger(c.req.query('page')) ?? 1
}

/** The id in the query, or null if it has no valid one. */
export function queryId(c: SiteContext, name: string): number | null {
  return positiveInteger(c.req.query(name))
}

/** The school in the query; 0 means all schools, null that none is given. */
export function querySchool(c: SiteContext): number | null {
  return c.req.query('school_id') === '0' ? 0 : queryId(c, 'school_id')
}

export function hasForm(c: SiteContext): boolean {
  const type = (c.req.header('content-type') ?? '').split(';')[0]?.trim().toLowerCase()
  return type === 'application/x-www-form-urlencoded' || type === 'multipart/form-data'
}

/** The form in the body, at most 64 KiB (in the admin 512 KiB), read once per request. @throws wrongContentType, tooLarge, badRequest */
export async function formOf(c: SiteContext): Promise<FormData> {
  const form = c.get('form') ?? readForm(c)
  c.set('form', form)
  return form
}

/** The text of a field; '' if it is absent or a file. */
export function textField(form: FormData, name: string): string {
  const value = form.get(name)
  return typeof value === 'string' ? value : ''
}

/** A field of a form that need not be sent. */
export async function optionalField(c: SiteContext, name: string): Promise<string> {
  return hasForm(c) ? textField(await formOf(c), name) : ''
}

async function readForm(c: SiteContext): Promise<FormData> {
  if (!hasForm(c)) throw wrongContentType()
  const limit = c.req.path.startsWith('/admin/') ? limitAdminForm : limitAnyForm
  await limit(c, async () => {})
  try {
    return await c.req.raw.formData()
  } catch {
    throw badRequest('This form could not be read.')
  }
}
