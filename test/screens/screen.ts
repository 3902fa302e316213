import type { App } from '../browser/app.ts'
import type { Visit } from '../browser/visit.ts'

/** Who is looking: a visitor, an ordinary account, a superuser, and two people with Discord accounts. */
export type Role = 'anyone' | 'student' | 'staff' | 'member' | 'manager'
/**
 * The content of the database: recipients, alerts and jobs, or servers and invites. With unusual names in both, but not
 * in a gallery.
 */
export type Scene = 'tracker' | 'directory' | 'tracker gallery' | 'directory gallery'

/** One screen. */
export interface Screen {
  /** Its area, a slash, and its name: also the name of its pictures. */
  name: string
  role: Role
  /** An address, or a function that finds it. */
  path: string | ((app: App) => Promise<string>)
  /** The status of the address if it is not 200. */
  status?: number
  /** Prepares data before the page is opened. */
  prepare?: ((app: App) => Promise<unknown>) | undefined
  /** Acts on the page before the picture is taken. */
  act?: (visit: Visit, app: App) => Promise<unknown>
  /** Only the window is taken: a dialog is above the page, wherever that is scrolled to. */
  isDialog?: boolean
}

/** The watching recipient with the longest name: in an ordinary scene an endless one. */
export const longestName = (app: App): Promise<string> =>
  firstOf(
    app,
    `SELECT name AS id FROM recipient WHERE id IN (SELECT recipient_id FROM watch) ORDER BY length(name) DESC, id LIMIT 1`,
  )

/** The first value of a column, as text. Throws if there is none. */
export async function firstOf(app: App, query: string): Promise<string> {
  const [row] = await app.sql<{ id: unknown }>(query)
  if (!row) throw new Error(`There is nothing to look at: ${query}`)
  return String(row.id)
}
