import { LinkButton } from '../../../client/components/button.tsx'
import { CardLink } from '../../../client/components/card.tsx'
import { TrackerProblemNotices } from '../../../client/components/tracker-problem-notices.tsx'
import type { PageContext } from '../../web/contract.ts'
import type { TrackerProblems } from '../courses/tracker-problems.ts'
import { LogOutForm } from './logout.tsx'

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

/** For people who are logged in without the right to be here. */
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

function StaffDashboard({ context, problems }: { context: PageContext; problems: TrackerProblems }) {
  return (
    <div className="stack stack-large">
      <div className="page-head">
        <div>
          <h1>Class Tracker</h1>
          <p>Watch class seats, and notify people the moment one opens.</p>
        </div>
      </div>
      <TrackerProblemNotices
        paused={problems.paused_queues}
        unread={problems.unread_sources}
        notices={problems.source_notices}
        context={context}
      />
      <div className="cards">
        <CardLink href="/class_tracker/manage_course_list/" icon="book" title="Manage Course List">
          Refresh terms, schools, subjects and course sections from the schools' own systems.
        </CardLink>
        <CardLink href="/class_tracker/add_classes/" icon="people" title="Add Classes">
          Recipients, how they are reached, and the sections watched for them.
        </CardLink>
        <CardLink href="/class_tracker/class_alerts/" icon="bell" title="Class Alerts">
          Every seat that opened, and whether its messages arrived.
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
  /** For staff; null for everybody else. */
  problems: TrackerProblems | null
}

/** The front of the class tracker, in three states: for anyone, for people without the right, and for staff. */
export function IndexPage({ context, problems }: IndexPageProps) {
  if (!context.user.is_authenticated) return <Welcome />
  if (problems === null) return <AccessRestricted context={context} />
  return <StaffDashboard context={context} problems={problems} />
}
