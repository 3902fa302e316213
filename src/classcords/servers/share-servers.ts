import { hueOf } from '../../../client/components/hue.ts'
import { counted } from '../../../client/components/count-text.ts'
import { courseText, schoolHref, serverHref } from '../../../client/islands/classcords/server-text.ts'
import type { Share } from '../../web/page/share.tsx'
import type { DiscordServer, SchoolProps } from '../contract.ts'
import { pageQuery } from '../../web/pagination.ts'

const NAMED_COURSES = 3

/** The picture for a name's hue. */
const pictureOf = (kind: 'server' | 'school', name: string): Share['picture'] =>
  `${kind}-${Number(hueOf(name).replace('hue-', ''))}`

/** "Calculus I · MATH 1110 · Northfield Tech" */
export function serverTitle({ display_name, courses, schools }: DiscordServer): string {
  const codes = [...new Set(courses.map(courseText))].slice(0, NAMED_COURSES).join(', ')
  return [display_name, codes, schools[0]?.name ?? ''].filter((part) => part !== '').join(' · ')
}

/** "1,200 members. Homework and old exams." */
export function serverDescription({ member_count, description, schools }: DiscordServer): string {
  const about = description.trim() || `A Discord server for classes${schools[0] ? ` at ${schools[0].name}` : ''}.`
  return `${counted(member_count, 'member')}. ${about}`
}

/** The link preview of a server; nothing for a private one. */
export function shareServer(server: DiscordServer, origin: string): Share | undefined {
  if (server.privacy_level_info.value === 'private') return undefined
  const [school] = server.schools
  const steps = [
    { name: 'Class Cords', item: `${origin}/classcords/` },
    ...(school ? [{ name: school.name, item: origin + schoolHref(school) }] : []),
    { name: server.display_name, item: origin + serverHref(server) },
  ]
  return {
    path: serverHref(server),
    title: `${serverTitle(server)} · ${counted(server.member_count, 'member')}`,
    picture: pictureOf('server', server.name),
    data: {
      '@type': 'BreadcrumbList',
      itemListElement: steps.map((step, index) => ({ '@type': 'ListItem', position: index + 1, ...step })),
    },
  }
}

export function shareSchool({ school, servers, pagination }: SchoolProps, origin: string): Share {
  return {
    path: schoolHref(school) + pageQuery(pagination.current_page),
    picture: pictureOf('school', school.name),
    data: {
      '@type': 'CollectionPage',
      name: `Discord servers at ${school.name}`,
      about: { '@type': 'CollegeOrUniversity', name: school.name },
      mainEntity: {
        '@type': 'ItemList',
        itemListElement: servers.map((server, index) => ({
          '@type': 'ListItem',
          position: index + 1,
          name: server.display_name,
          url: origin + serverHref(server),
        })),
      },
    },
  }
}
