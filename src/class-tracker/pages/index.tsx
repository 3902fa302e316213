import { LinkButton } from '../../../client/components/button.tsx'
import { CardLink } from '../../../client/components/card.tsx'
import { SeatBar } from '../../../client/components/seat-bar.tsx'
import { StatusBadge } from '../../../client/components/status-dot.tsx'
import { clockText } from '../../../client/components/time-text.ts'
import { seatsText } from '../../../client/islands/class-tracker/section-text.ts'
import { TrackerProblemNotices } from '../../../client/components/tracker-problem-notices.tsx'
import type { PageContext } from '../../web/contract.ts'
import type { OpenedSection, Today } from '../alerts/opened-today.ts'
import type { Overview } from '../alerts/read-overview.ts'
import { LogOutForm } from './logout.tsx'
import { countedText, TodayFigures } from './today-figures.tsx'

function Welcome() {
  return (
    <div className="narrow stack">
      <h1>Class Tracker</h1>
      <p>
        Watches class seats in schools' own systems and notifies people the moment one opens. Staff: log in to choose
        what to watch, and for whom.
      </p>
      <div className="row">
        <LinkButton kind="primary" href="/class_tracker/login_view/">
          Log In
        </LinkButton>
        <a href="/">Home</a>
      </div>
    </div>
  )
}

/** For people who are logged in but have no access. */
function AccessRestricted({ context }: { context: PageContext }) {
  return (
    <div className="narrow stack">
      <h1>Access Restricted</h1>
      <p>
        You are logged in as <strong>{context.user.name}</strong>, and this account may not use the Class Tracker. Ask a
        member of staff for access, or log in with another account.
      </p>
      <div className="row">
        <LogOutForm context={context} />
        <a href="/">Home</a>
      </div>
    </div>
  )
}

function OpenedRow({ opened, timeZone }: { opened: OpenedSection; timeZone: string }) {
  const { section, is_current: isCurrent } = opened
  const code = [section.course.code, section.course.level].filter(Boolean).join(' ')
  return (
    <tr>
      <td data-label="Opened" className="nowrap">
        {clockText(opened.opened_at, timeZone)}
      </td>
      <td data-label="Section">
        <strong>{section.section === '' ? code : `${code}-${section.section}`}</strong>{' '}
        <bdi>{section.topic || section.course.title}</bdi>
      </td>
      <td data-label="School">{opened.school_name}</td>
      <td data-label="Seats now">
        <div className="seat-line">
          <SeatBar
            status={isCurrent ? section.status : 'unknown'}
            seats={section.seats_available}
            capacity={section.capacity}
          />
          <span className={isCurrent && section.status === 'open' ? 'seats-open' : undefined}>
            {seatsText(section)}
          </span>
        </div>
      </td>
      <td data-label="Status">
        {isCurrent || section.observed_at === null ? (
          <StatusBadge status={section.status} />
        ) : (
          <span className="muted">checked {clockText(section.observed_at, timeZone)}</span>
        )}
      </td>
      <td data-label="Notified" className="nowrap">
        {opened.notified === 1 ? '1 person' : `${countedText(opened.notified)} people`}
      </td>
    </tr>
  )
}

/** The sections that opened since midnight, in their current state. */
function OpenedToday({ today, timeZone }: { today: Today; timeZone: string }) {
  return (
    <section className="stack stack-small" aria-labelledby="opened-today">
      <div className="page-head">
        <h2 id="opened-today">Opened today</h2>
        <a href="/class_tracker/class_alerts/">All class alerts</a>
      </div>
      {today.opened.length === 0 ? (
        <p className="muted">No seats have opened today.</p>
      ) : (
        <table className="table table-lines">
          <thead>
            <tr>
              {['Opened', 'Section', 'School', 'Seats now', 'Status', 'Notified'].map((name) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {today.opened.map((opened) => (
              <OpenedRow key={opened.id} opened={opened} timeZone={timeZone} />
            ))}
          </tbody>
        </table>
      )}
    </section>
  )
}

function StaffDashboard({
  context,
  overview: { today, problems, warning },
}: {
  context: PageContext
  overview: Overview
}) {
  return (
    <div className="stack stack-large staff">
      <div className="page-head">
        <div>
          <h1>Class Tracker</h1>
          <p>Watch class seats, and notify people the moment one opens.</p>
        </div>
      </div>
      {warning !== null && <p className="message message-warning">{warning}</p>}
      <TrackerProblemNotices
        paused={problems.paused_queues}
        unread={problems.unread_sources}
        notices={problems.source_notices}
        context={context}
      />
      <TodayFigures today={today} />
      <OpenedToday today={today} timeZone={context.time_zone} />
      <div className="cards ways">
        <CardLink href="/class_tracker/manage_course_list/" icon="book" title="Manage Course List">
          Refresh terms, schools, subjects and course sections from the schools' own systems.
        </CardLink>
        <CardLink href="/class_tracker/add_classes/" icon="people" title="Add Classes">
          Watched sections and who gets notified.
        </CardLink>
        <CardLink href="/class_tracker/class_alerts/" icon="bell" title="Class Alerts">
          Every seat that opened and what was delivered.
        </CardLink>
      </div>
      <section className="stack stack-small" aria-labelledby="quick-links">
        <h2 id="quick-links">Quick links</h2>
        <div className="row">
          <LinkButton href="/admin/">Admin</LinkButton>
          <LogOutForm context={context} />
        </div>
      </section>
    </div>
  )
}

interface IndexPageProps {
  context: PageContext
  /** For staff; null for everyone else. */
  overview: Overview | null
}

/** The class tracker's front page in three states: for visitors, for people without access, and for staff. */
export function IndexPage({ context, overview }: IndexPageProps) {
  if (!context.user.is_authenticated) return <Welcome />
  if (overview === null) return <AccessRestricted context={context} />
  return <StaffDashboard context={context} overview={overview} />
}
