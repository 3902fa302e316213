import type { JobListProps } from '../../../src/scheduler/contract.ts'
import { Button, LinkButton } from '../../components/button.tsx'
import { ErrorSummary } from '../../components/error-summary.tsx'
import { LiveMark } from '../../components/live-mark.tsx'
import { TimeChart } from '../../components/time-chart.tsx'
import type { IslandProps } from '../index.ts'
import { ofQueue } from './addresses.ts'
import { BulkLinks } from './bulk-links.tsx'
import { JobSelection } from './job-selection.tsx'
import { ListPages } from './list-pages.tsx'
import { ListSearchForm } from './list-search-form.tsx'
import { PauseForm } from './pause-form.tsx'
import { PausedNote } from './paused-note.tsx'
import { RegistryTabs } from './registry-tabs.tsx'
import { RunningAct } from './running-act.tsx'
import { jobsText, listTitle, logInAddress } from './texts.ts'
import { Trail } from './trail.tsx'
import { useJobList } from './use-job-list.ts'

export function Island({ props, context }: IslandProps<JobListProps>) {
  const list = useJobList(props, context)
  const { shown, news } = list
  const { queue, registry, running } = shown
  return (
    <div className="stack stack-large scheduler">
      <div className="page-head">
        <div>
          <Trail steps={[]} />
          <h1>{listTitle(queue.counts[registry], registry, queue.name)}</h1>
        </div>
        <div className="row">
          <LiveMark liveness={list.liveness} logIn={logInAddress(context.path)} />
          <LinkButton href={ofQueue(queue.name, 'settings')}>Settings</LinkButton>
          <PauseForm queue={queue} context={context} />
        </div>
      </div>
      <PausedNote queue={queue} timeZone={context.time_zone} />
      <RegistryTabs queue={queue} current={registry} />
      {running === null ? null : <RunningAct running={running} />}
      <ListSearchForm list={list} />
      <ErrorSummary heading="Error:" errors={list.errors.map((message) => ({ message }))} />
      <BulkLinks props={shown} />
      {news === 0 ? null : (
        <div className="row news" role="status">
          {jobsText(news)} new
          <Button icon="refresh" onClick={list.showNews}>
            Show
          </Button>
        </div>
      )}
      <div aria-busy={list.isSearching || undefined}>
        <JobSelection props={shown} context={context} />
      </div>
      <ListPages props={shown} />
      <section className="card card-body stack" aria-labelledby="hour">
        <h2 id="hour">The last hour of {queue.name}</h2>
        <TimeChart steps={shown.chart} timeZone={context.time_zone} />
      </section>
    </div>
  )
}
