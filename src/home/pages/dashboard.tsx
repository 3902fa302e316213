import { CardLink } from '../../../client/components/card.tsx'

/** Where to go from here. Staff alone see the class tracker. */
export function Dashboard({ isSuperuser }: { isSuperuser: boolean }) {
  return (
    <div className="stack stack-large">
      <header className="page-head">
        <div>
          <h1>Dashboard</h1>
          <p>Overview of all applications</p>
        </div>
      </header>
      <p>Home – Choose an application to get started</p>
      <div className="cards">
        {isSuperuser && (
          <CardLink href="/class_tracker/" icon="bell" title="Class Tracker">
            Track class availability and schedules, with automated notifications.
          </CardLink>
        )}
        <CardLink href="/classcords/" icon="people" title="Discord Tracker">
          Monitor server activity.
        </CardLink>
      </div>
    </div>
  )
}
