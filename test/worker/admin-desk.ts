import { expect } from 'vitest'
import { rows } from './rows.ts'
import { addUser, browserOf, type Seen, type Visitor } from './visitor.ts'

/** The texts of an admin page's alerts and errors, as people read them. */
const textOf = (html: string): string =>
  unescaped(html.replaceAll(/<script[^>]*>.*?<\/script>/gs, ' ').replaceAll(/<[^>]+>/g, ' ')).replaceAll(/\s+/g, ' ')

/** What React's escaping stands for. */
const unescaped = (text: string): string =>
  text
    .replaceAll('&quot;', '"')
    .replaceAll('&#x27;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')

const hidden = (html: string, name: string): string =>
  new RegExp(`name="${name}" value="([^"]*)"`).exec(html)?.[1] ?? ''

/** A control of a form as a browser would send it. */
interface Control {
  name: string
  kind: 'text' | 'checkbox' | 'select' | 'other'
  value: string
  /** What a select offers. */
  choices: string[]
}

/** The controls of a page's forms, in order. */
export const controlsOf = (html: string): Control[] =>
  [...html.matchAll(/<(?:input|textarea|select)[^>]* name="([^"]+)"[^>]*>/g)].map(([tag, name = '']) =>
    controlOf(html, tag, name),
  )

const valueIn = (tag: string): string => unescaped(/value="([^"]*)"/.exec(tag)?.[1] ?? '')

function controlOf(html: string, tag: string, name: string): Control {
  const control: Control = { name, kind: 'other', value: valueIn(tag), choices: [] }
  if (tag.startsWith('<textarea')) {
    const text = new RegExp(`<textarea[^>]* name="${name}"[^>]*>([^<]*)<`).exec(html)?.[1] ?? ''
    return { ...control, kind: 'text', value: unescaped(text).replace(/^\n/, '') }
  }
  if (tag.startsWith('<select')) {
    const inside = new RegExp(`<select[^>]* name="${name}"[^>]*>(.*?)</select>`, 's').exec(html)?.[1] ?? ''
    const options = [...inside.matchAll(/<option[^>]*>/g)].map(([option]) => option)
    const chosen = options.find((option) => option.includes('selected')) ?? options[0] ?? ''
    return {
      ...control,
      kind: 'select',
      value: valueIn(chosen),
      choices: options.map(valueIn),
    }
  }
  if (tag.includes('type="checkbox"'))
    return { ...control, kind: 'checkbox', value: tag.includes('checked') ? '1' : '' }
  return tag.includes('type=') ? control : { ...control, kind: 'text' }
}

export interface Said {
  status: number
  /** The final page, as text. */
  text: string
  location: string | null
}

/** A superuser in the admin: fills in forms as a browser would and reads the messages. */
export class Desk {
  readonly user: { id: number; username: string }
  readonly visitor: Visitor

  constructor(user: { id: number; username: string }, visitor: Visitor) {
    this.user = user
    this.visitor = visitor
  }

  static async open(): Promise<Desk> {
    const user = await addUser({ isSuperuser: true })
    return new Desk(user, await browserOf(user))
  }

  async see(path: string): Promise<Seen & { text: string }> {
    const seen = await this.visitor.see(`/admin/${path}`)
    return { ...seen, text: textOf(seen.html) }
  }

  /** The titles of a list. */
  async titles(path: string): Promise<string[]> {
    const { response, data } = await this.visitor.see<{ rows: { title: string }[] }>(`/admin/${path}`)
    expect(response.status, path).toBe(200)
    return data.props.rows.map(({ title }) => title)
  }

  add(table: string, fields: Record<string, string>): Promise<Said> {
    return this.#send(`/admin/${table}/add/`, { act: 'save', ...fields })
  }

  /** Opens a row's form and submits it with some values changed. */
  async change(table: string, key: number | string, fields: Record<string, string>): Promise<Said> {
    const save = await this.open(table, key)
    return save(fields)
  }

  /** Opens a row's form. @returns submits it, whatever has happened meanwhile, with some values changed */
  async open(table: string, key: number | string): Promise<(fields: Record<string, string>) => Promise<Said>> {
    const path = `/admin/${table}/${key}/`
    const { html } = await this.visitor.see(path)
    const present = Object.fromEntries(controlsOf(html).map(({ name, value }) => [name, value]))
    return (fields) => this.#send(path, { ...present, was: hidden(html, 'was'), act: 'save', ...fields })
  }

  /** Asks for an action on a row. @returns confirms what was asked, whatever has happened meanwhile */
  async ask(table: string, name: string, key: number | string): Promise<() => Promise<Said>> {
    const asked = await this.visitor.submit(`/admin/${table}/act/`, { act: name, key: String(key) })
    const seen = hidden(await asked.text(), 'seen')
    return () => this.act(table, name, key, { seen })
  }

  /** Deletes a row; `affected` is what the page lists as deleted along with it, as "1 alerts". */
  async delete(table: string, key: number | string): Promise<Said & { asked: string; affected: string[] }> {
    const path = `/admin/${table}/${key}/delete/`
    const { html, data } = await this.visitor.see<{ affected: { label: string; count: number }[] }>(path)
    const affected = data.props.affected.map(({ label, count }) => `${count} ${label}`)
    return { ...(await this.act(table, 'delete', key, { was: hidden(html, 'was') })), asked: textOf(html), affected }
  }

  /** Performs an action, confirmed immediately. */
  act(table: string, name: string, key: number | string, fields: Record<string, string> = {}): Promise<Said> {
    return this.#send(`/admin/${table}/act/`, { act: name, key: String(key), confirmed: '1', ...fields })
  }

  /** The latest audit entry about a table. */
  async entry(table: string) {
    const [entry] = await rows<{
      who: string
      user_id: number
      act: string
      area: string
      row_key: string
      title: string
      before: string | null
      after: string | null
    }>(
      'SELECT who, user_id, act, area, row_key, title, before, after FROM audit WHERE table_name = ? ORDER BY id DESC LIMIT 1',
      table,
    )
    if (!entry) throw new Error(`nothing was recorded about ${table}`)
    expect(entry).toMatchObject({ who: this.user.username, user_id: this.user.id })
    return {
      ...entry,
      before: JSON.parse(entry.before ?? 'null') as unknown,
      after: JSON.parse(entry.after ?? 'null') as unknown,
    }
  }

  async #send(path: string, fields: Record<string, string>): Promise<Said> {
    const answer = await this.visitor.submit(path, fields)
    const location = answer.headers.get('location')
    if (location === null) return { status: answer.status, text: textOf(await answer.text()), location }
    const { html } = await this.visitor.see(location)
    return { status: answer.status, text: textOf(html), location }
  }
}
