import { type MadeGroup } from './catalog.ts'
import { addPerson, emptyDirectory, guilds, linkOf, makeSchool, type Person } from './directory.ts'
import { one } from './rows.ts'
import { browserOf, type Visitor } from './visitor.ts'
import { world } from './world.ts'

/** A school, and two of its members who are logged in. */
export interface Campus {
  school: MadeGroup
  regular: Person
  manager: Person
  /** The browser of `regular`. */
  student: Visitor
  /** The browser of `manager`. */
  boss: Visitor
}

/** A separate school with an empty directory and a world without faults. */
export async function openCampus(): Promise<Campus> {
  await emptyDirectory()
  await world.clearFaults()
  const school = await makeSchool()
  const regular = await addPerson({ school: school.school_id })
  const manager = await addPerson({ role: 'manager', school: school.school_id })
  return { school, regular, manager, student: await browserOf(regular), boss: await browserOf(manager) }
}

/** Makes a call of the directory's pages. */
export async function asked(
  visitor: Visitor,
  method: string,
  path: string,
  body?: Record<string, string> | URLSearchParams,
): Promise<{ status: number; answer: unknown; response: Response }> {
  const response = await visitor.call(method, `/classcords/ajax/${path}`, body)
  return { status: response.status, answer: await response.json<unknown>(), response }
}

/** The form that submits an invite to a server of Discord's stand-in. */
export const inviteForm = (school: MadeGroup, change: Record<string, string> = {}) => ({
  invite_url: linkOf(guilds.calculus.code),
  notes: 'Be **kind**',
  guild_name: guilds.calculus.name,
  guild_id: guilds.calculus.id,
  school_id: String(school.school_id),
  privacy_level: 'public',
  ...change,
})

export const lastInvite = () =>
  one<{ id: number; state: string; server_id: number; notes_md: string }>(
    'SELECT * FROM invite ORDER BY id DESC LIMIT 1',
  )
