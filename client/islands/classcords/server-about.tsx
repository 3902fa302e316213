import type { DiscordServer, Presence } from '../../../src/classcords/contract.ts'
import { hueOf } from '../../components/hue.ts'
import { ServerIcon } from '../../components/server-icon.tsx'
import { exploreSearch, type ExploreQuery } from './explore-query.ts'
import { Online } from './online.tsx'
import { ServerBadges } from './server-card.tsx'
import { countText, courseTitle, schoolHref } from './server-text.ts'

const all: ExploreQuery = { subjectId: null, courseId: null, q: '', page: 1 }

interface Entry {
  id: number
  text: string
  /** Other servers with it. */
  href?: string
}

function List({ label, entries }: { label: string; entries: readonly Entry[] }) {
  const known = entries.filter(({ text }) => text !== '')
  if (known.length === 0) return null
  return (
    <div>
      <dt className="muted">{label}</dt>
      <dd>
        {known.map(({ id, text, href }, index) => (
          <span key={id}>
            {index > 0 && ', '}
            {href === undefined ? <bdi>{text}</bdi> : <a href={href}>{text}</a>}
          </span>
        ))}
      </dd>
    </div>
  )
}

/** A server's band in its hue, with its picture and what is out of the ordinary. Its name stands below. */
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

interface ServerAboutProps {
  server: DiscordServer
  presence: Presence
  timeZone: string
}

/** What a server is and which classes it is for. */
export function ServerAbout({ server, presence, timeZone }: ServerAboutProps) {
  const { subjects, courses, instructors, schools } = server
  const search = (change: Partial<ExploreQuery>) => `/classcords/all/${exploreSearch({ ...all, ...change }, null)}`
  const named = ({ id, name }: { id: number; name: string }) => ({ id, text: name })
  return (
    <>
      <p className="muted small numbers">
        {countText(server.member_count, 'member')}
        <Online presence={presence} timeZone={timeZone} />
      </p>
      {server.description !== '' && (
        <p className="anywhere">
          <bdi>{server.description}</bdi>
        </p>
      )}
      {subjects.length + courses.length + instructors.length + schools.length > 0 && (
        <dl className="facts small">
          <List
            label="Courses"
            entries={courses.map((one) => ({
              id: one.id,
              text: courseTitle(one),
              href: search({
                courseId: one.id,
                subjectId: subjects.find(({ name }) => name === one.subject)?.id ?? null,
              }),
            }))}
          />
          <List
            label="Subjects"
            entries={subjects.map(({ id, name }) => ({ id, text: name, href: search({ subjectId: id }) }))}
          />
          <List label="Instructors" entries={instructors.map(named)} />
          <List
            label="Schools"
            entries={schools.map((school) => ({ id: school.id, text: school.name, href: schoolHref(school) }))}
          />
        </dl>
      )}
    </>
  )
}
