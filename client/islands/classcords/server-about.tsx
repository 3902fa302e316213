import type { DiscordServer, Presence } from '../../../src/classcords/contract.ts'
import { CopyButton } from '../../components/copy-button.tsx'
import { counted, countText } from '../../components/count-text.ts'
import { hueOf } from '../../components/hue.ts'
import { Icon } from '../../components/icon.tsx'
import { RelativeTime } from '../../components/relative-time.tsx'
import { ServerIcon } from '../../components/server-icon.tsx'
import { ShareButton } from '../../components/share-button.tsx'
import { exploreSearch, type ExploreQuery } from './explore-query.ts'
import { ServerBadges } from './server-badges.tsx'
import { courseText, schoolHref, serverHref, subjectIdOf } from './server-text.ts'

const all: ExploreQuery = { subjectId: null, courseId: null, q: '', page: 1 }

/** Courses, then subjects, each a link to the other servers for it. */
function Classes({ server }: { server: Pick<DiscordServer, 'courses' | 'subjects'> }) {
  const { subjects, courses } = server
  const search = (change: Partial<ExploreQuery>) => `/classcords/all/${exploreSearch({ ...all, ...change }, null)}`
  return (
    <>
      {courses.map((course) => (
        <li key={`course ${course.id}`}>
          <a
            className="course-code"
            href={search({ courseId: course.id, subjectId: subjectIdOf(course, subjects) })}
            title="Other servers for this course"
          >
            <bdi>{courseText(course)}</bdi>
          </a>{' '}
          <bdi className="muted">{course.title}</bdi>
        </li>
      ))}
      {subjects
        .filter(({ name }) => name !== '')
        .map(({ id, name }) => (
          <li key={`subject ${id}`}>
            <a href={search({ subjectId: id })}>
              <bdi>{name}</bdi>
            </a>
          </li>
        ))}
    </>
  )
}

/** A server's band in its hue, with its picture and badges. Its name comes below. */
export function ServerBanner({ server }: { server: DiscordServer }) {
  return (
    <div className={`server-banner ${hueOf(server.name)}`}>
      <div className="band" />
      <div className="server-banner-head">
        <ServerIcon name={server.display_name} url={server.icon_url} />
        <ServerBadges server={server} />
      </div>
    </div>
  )
}

/** How many members were online, and when, after the number of members. */
function Online({ presence, timeZone }: { presence: Presence; timeZone: string }) {
  if (presence === null) return null
  return (
    <>
      {' · '}
      {countText(presence.online_count)} online, counted <RelativeTime at={presence.counted_at} timeZone={timeZone} />
    </>
  )
}

interface ServerAboutProps {
  server: DiscordServer
  presence: Presence
  timeZone: string
}

export function ServerAbout({ server, presence, timeZone }: ServerAboutProps) {
  const { description, instructors, schools } = server
  return (
    <div className={`stack stack-small ${hueOf(server.name)}`}>
      <ul className="class-list small" aria-label="Classes and schools">
        <Classes server={server} />
        {schools.map((school) => (
          <li key={`school ${school.id}`}>
            <a href={schoolHref(school)}>
              <bdi>{school.name}</bdi>
            </a>
          </li>
        ))}
      </ul>
      {instructors.length > 0 && (
        <p className="muted small">
          With{' '}
          {instructors.map(({ id, name }, index) => (
            <span key={id}>
              {index > 0 && ', '}
              <bdi>{name}</bdi>
            </span>
          ))}
        </p>
      )}
      <p className="member-line muted small numbers">
        <Icon name="people" size={16} />
        <span>
          {counted(server.member_count, 'member')}
          <Online presence={presence} timeZone={timeZone} />
        </span>
      </p>
      {description !== '' && (
        <p className="anywhere">
          <bdi>{description}</bdi>
        </p>
      )}
    </div>
  )
}

/** Ways to share a server's own page, which is the same for everyone; nothing for a private one. */
export function ShareServer({ server }: { server: DiscordServer }) {
  if (server.privacy_level_info.value === 'private') return null
  const { href } = new URL(serverHref(server), location.href)
  return (
    <>
      <ShareButton url={href} title={server.display_name} />
      <CopyButton text={href} label="Copy page link" subject={`to ${server.display_name}`} />
    </>
  )
}
