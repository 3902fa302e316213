import type { App } from '../browser/app.ts'
import type { Visit } from '../browser/visit.ts'

/** Who looks: nobody in particular, a plain account, a superuser, and two people Discord knows. */
export type Role = 'anyone' | 'student' | 'staff' | 'member' | 'manager'
/** What is in the database: recipients, alerts and jobs, or servers and invites. Difficult names in both, none in a gallery. */
export type Scene = 'tracker' | 'directory' | 'tracker gallery' | 'directory gallery'

/** One thing to look at. */
export interface Screen {
  /** Its area, a slash, and what it is: also the name of its pictures. */
  name: string
  role: Role
  /** An address, or how it is found. */
  path: string | ((app: App) => Promise<string>)
  /** What the address answers when it is not 200. */
  status?: number
  /** Puts something there before the page is opened. */
  prepare?: ((app: App) => Promise<unknown>) | undefined
  /** What is done on the page before it is looked at. */
  act?: (visit: Visit, app: App) => Promise<unknown>
  /** Only the window is taken: a dialog is above the page, wherever that is scrolled to. */
  isDialog?: boolean
}

/** The first of a column, as text. Throws when there is none. */
export async function firstOf(app: App, query: string): Promise<string> {
  const [row] = await app.sql<{ id: unknown }>(query)
  if (!row) throw new Error(`There is nothing to look at: ${query}`)
  return String(row.id)
}
