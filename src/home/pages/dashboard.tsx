import { CardLink } from '../../../client/components/card.tsx'
import { PageHead } from '../../../client/components/page-head.tsx'
import { TrackerProblemNotices } from '../../../client/components/tracker-problem-notices.tsx'
import type { Today } from '../../class-tracker/alerts/opened-today.ts'
import type { PausedQueue } from '../../class-tracker/courses/contract.ts'
import { TodayFigures } from '../../class-tracker/pages/today-figures.tsx'
import type { Front } from '../../classcords/servers/newest-servers.ts'
import type { PageContext } from '../../web/contract.ts'
import { FrontPage } from './front.tsx'

const overview = 'Overview of all applications'
const choose = 'Home – Choose an application to get started'

function DirectoryCard() {
  return (
    <CardLink href="/classcords/" icon="people" title="Discord Tracker">
      Monitor server activity.
    </CardLink>
  )
}

interface StaffDashboardProps {
  today: Today
  paused: readonly PausedQueue[]
  context: PageContext
}

/** For staff, who are the only ones to see the class tracker: today's figures, then the menu. */
export function StaffDashboard({ today, paused, context }: StaffDashboardProps) {
  return (
    <div className="stack stack-large">
      <PageHead title="Dashboard" about={overview} />
      <TrackerProblemNotices paused={paused} context={context} />
      <TodayFigures today={today} timeZone={context.time_zone} paused={paused} />
      <p>{choose}</p>
      <div className="cards ways">
        <CardLink href="/class_tracker/" icon="bell" title="Class Tracker">
          Track class availability and schedules, with automated notifications.
        </CardLink>
        <DirectoryCard />
      </div>
    </div>
  )
}

/** For everyone else: the directory, then the menu. */
export function Dashboard({ front, timeZone }: { front: Front; timeZone: string }) {
  return (
    <div className="stack stack-large">
      <FrontPage front={front} timeZone={timeZone} />
      <section className="applications" aria-labelledby="dashboard">
        <div>
          <h2 id="dashboard">Dashboard</h2>
          <p className="muted small">{overview}</p>
          <p className="muted small">{choose}</p>
        </div>
        <div className="cards">
          <DirectoryCard />
        </div>
      </section>
    </div>
  )
}
