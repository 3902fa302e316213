import { type MadeGroup } from './catalog.ts'
import { addPerson, emptyDirectory, makeSchool, type Person } from './directory.ts'
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
