import type { ReactNode } from 'react'
import type { DiscordServer } from '../../../src/classcords/contract.ts'
import { ServerIcon } from '../../components/server-icon.tsx'
import { exploreSearch, type ExploreQuery } from './explore-query.ts'
import { ServerBadges } from './server-card.tsx'
import { countText, courseTitle } from './server-text.ts'

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

/** What a server is and which classes it is for. `title` is its name, where no dialog shows it. */
export function ServerAbout({ server, title }: { server: DiscordServer; title?: ReactNode }) {
  const { subjects, courses, instructors, schools } = server
  const search = (change: Partial<ExploreQuery>) => `/classcords/all/${exploreSearch({ ...all, ...change }, null)}`
  const named = ({ id, name }: { id: number; name: string }) => ({ id, text: name })
  return (
    <>
      <div className="server-head">
        <ServerIcon name={server.display_name} url={server.icon_url} />
        <div>
          {title}
          <ServerBadges server={server} />
          <p className="muted small numbers">{countText(server.member_count, 'member')}</p>
        </div>
      </div>
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
          <List label="Schools" entries={schools.map(named)} />
        </dl>
      )}
    </>
  )
}
