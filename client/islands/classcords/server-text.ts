import type { Course, DiscordServer, School, Subject } from '../../../src/classcords/contract.ts'
import type { Pagination } from '../../../src/web/contract.ts'
import { addressQuery } from '../../address-query.ts'
import { counted, countText } from '../../components/count-text.ts'
import { naturalOrder } from '../../components/natural-order.ts'

const MAX_CHIPS = 4
/** If the figure is older than this, lists do not show how many members are online. */
export const MAX_PRESENCE_AGE_MS = 3600_000

export function courseText({ code, level }: Pick<Course, 'code' | 'level'>): string {
  return [code, level].filter((part) => part !== '').join(' ')
}

/** "CMIS 2300 - Analytics" */
export function courseTitle(course: Course): string {
  return course.title === '' ? courseText(course) : `${courseText(course)} - ${course.title}`
}

/** The id of a course's subject among these; null unless exactly one has its name. */
export function subjectIdOf({ subject }: Course, subjects: readonly Subject[]): number | null {
  const found = subjects.filter(({ name }) => name === subject)
  return found.length === 1 ? (found[0]?.id ?? null) : null
}

type Classes = Pick<DiscordServer, 'courses' | 'subjects'>

/** What a server is for (its courses, otherwise its subjects, otherwise nothing), and how many more there are. */
export function serverChips({ courses, subjects }: Classes) {
  const all = courses.length > 0 ? courses.map(courseText) : subjects.map(({ name }) => name)
  const different = [...new Set(all)].filter((text) => text !== '')
  return { shown: different.slice(0, MAX_CHIPS), more: Math.max(0, different.length - MAX_CHIPS) }
}

/** "Harbor State University", "Harbor State University and 2 more", "Any school". */
export function schoolsText(schools: readonly Pick<School, 'name'>[]): string {
  const [first, ...others] = schools
  if (first === undefined) return 'Any school'
  return others.length === 0 ? first.name : `${first.name} and ${countText(others.length)} more`
}

/** The schools of these servers, by name. */
export function schoolsOf(servers: readonly Pick<DiscordServer, 'schools'>[]): School[] {
  const byId = new Map(servers.flatMap(({ schools }) => schools).map((school) => [school.id, school]))
  return [...byId.values()].toSorted((one, other) => naturalOrder(one.name, other.name))
}

export function schoolHref({ id }: Pick<School, 'id'>): string {
  return `/classcords/school/${id}/`
}

export function serverHref({ id }: Pick<DiscordServer, 'id'>): string {
  return `/classcords/server/${id}/`
}

/** Leads to Discord after the invite has been checked. */
export function joinHref({ id }: { id: number }): string {
  return `/classcords/join/${id}/`
}

/** Whether it is a placeholder for a server that only logged-in people see. */
export function isLocked({ id }: Pick<DiscordServer, 'id'>): boolean {
  return id < 0
}

/** "31 servers, page 1 of 3"; "1 server" if there is only one page. */
export function serverCount(count: number, { current_page: page, total_pages: pages }: Pagination): string {
  const servers = counted(count, 'server')
  return pages > 1 ? `${servers}, page ${countText(page)} of ${countText(pages)}` : servers
}

/** "13 recently added": placeholders are not counted. */
export function recentCount(servers: readonly DiscordServer[]): string {
  return `${countText(servers.filter((server) => !isLocked(server)).length)} recently added`
}

export interface ServerGroup {
  key: 'featured' | 'public' | 'private'
  title: string
  servers: DiscordServer[]
}

/** Featured, public, private, in this order; each server is in one group, and empty groups are left out. */
export function serverGroups(servers: readonly DiscordServer[]): ServerGroup[] {
  const groups: ServerGroup[] = [
    { key: 'featured', title: 'Featured', servers: [] },
    { key: 'public', title: 'Public', servers: [] },
    { key: 'private', title: 'Private', servers: [] },
  ]
  for (const server of servers) {
    const key = server.is_required_for_trust ? 'featured' : server.privacy_level_info.value
    groups.find((group) => group.key === key)?.servers.push(server)
  }
  return groups.filter((group) => group.servers.length > 0)
}

/** The directory's login page, with a referral and the page to return to. */
export const directoryLogInHref = (referral: string | null, next = ''): string =>
  `/classcords/login/${addressQuery({ referral, next })}`

/** Connects a Discord account, then leads to a page. */
export function connectHref(next: string): string {
  return `/accounts/discord/login/?${new URLSearchParams({ process: 'connect', next })}`
}
