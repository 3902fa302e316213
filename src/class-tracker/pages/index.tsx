import { LinkButton } from '../../../client/components/button.tsx'
import { CardLink } from '../../../client/components/card.tsx'
import { PageHead } from '../../../client/components/page-head.tsx'
import { TrackerProblemNotices } from '../../../client/components/tracker-problem-notices.tsx'
import type { PageContext } from '../../web/contract.ts'
import type { Overview } from '../alerts/read-overview.ts'
import { Attention } from './attention.tsx'
import { LogOutForm } from './login.tsx'
import { OpenedToday } from './opened-today.tsx'
import { answerText, TodayFigures } from './today-figures.tsx'

function Welcome() {
  return (
    <div className="narrow stack">
      <h1>Class Tracker</h1>
      <p>
        Watches class seats in schools’ own systems and notifies people the moment one opens. Staff: log in to choose
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
        You are logged in as <strong>{context.user.name}</strong>, and this account doesn’t have access to the Class
        Tracker. Ask an administrator for access, or log in with another account.
      </p>
      <div className="row">
        <LogOutForm context={context} />
        <a href="/">Home</a>
      </div>
    </div>
  )
}

function StaffDashboard({ context, overview }: { context: PageContext; overview: Overview }) {
  const { problems, warning } = overview
  return (
    <div className="stack stack-large staff">
      <PageHead title="Class Tracker" about={answerText(overview)} />
      {warning !== null && <p className="message message-warning">{warning}</p>}
      <TrackerProblemNotices paused={problems.paused_queues} notices={problems.source_notices} context={context} />
      <TodayFigures
        today={overview.today}
        timeZone={context.time_zone}
        troubled={overview.troubled_sources}
        paused={problems.paused_queues}
      />
      <Attention overview={overview} timeZone={context.time_zone} />
      <OpenedToday overview={overview} timeZone={context.time_zone} />
      <div className="cards ways">
        <CardLink href="/class_tracker/manage_course_list/" icon="book" title="Manage Course List">
          Terms, schools, subjects and course sections.
        </CardLink>
        <CardLink href="/class_tracker/add_classes/" icon="people" title="Add Classes">
          Watched sections and who gets notified.
        </CardLink>
        <CardLink href="/class_tracker/class_alerts/" icon="bell" title="Class Alerts">
          Every seat that opened and what was delivered.
        </CardLink>
      </div>
      <section className="row quick-links" aria-labelledby="quick-links">
        <h2 id="quick-links">Quick links</h2>
        <LinkButton href="/admin/">Admin</LinkButton>
        <LinkButton href="/scheduler/">Scheduler</LinkButton>
        <LogOutForm context={context} />
      </section>
    </div>
  )
}

/** The class tracker's front page in three states: for visitors, for people without access, and for staff. */
export function IndexPage({ context, overview }: { context: PageContext; overview: Overview | null }) {
  if (!context.user.is_authenticated) return <Welcome />
  if (overview === null) return <AccessRestricted context={context} />
  return <StaffDashboard context={context} overview={overview} />
}
