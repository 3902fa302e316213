import { type JobListProps, type QueueRow, type RegistryName, registryNames } from '../../../src/scheduler/contract.ts'
import { Button, LinkButton } from '../../components/button.tsx'
import { Crumbs } from '../../components/crumbs.tsx'
import { ErrorSummary } from '../../components/error-summary.tsx'
import { LiveMark } from '../../components/live-mark.tsx'
import { PageHead } from '../../components/page-head.tsx'
import { NextPage } from '../../components/next-page.tsx'
import { Pagination } from '../../components/pagination.tsx'
import { StaffSearchForm } from '../../components/staff-search-form.tsx'
import { Progress } from '../../components/progress.tsx'
import type { IslandProps } from '../index.ts'
import { bulkAddress, jobAddress, listAddress, ofQueue, searchText, toQueues } from './addresses.ts'
import { JobSelection } from './job-selection.tsx'
import { PausedNote, PauseLink } from './pause-form.tsx'
import { countText } from '../../components/count-text.ts'
import { isNarrowed, jobsText, listTitle, matchesText, registryTitles, taskTitle } from './texts.ts'
import { Throughput, TimePerJob } from './throughput.tsx'
import { useJobList } from './use-job-list.ts'

/** An action on many jobs that continues in the background. */
function RunningAct({ running }: { running: NonNullable<JobListProps['running']> }) {
  return (
    <section className="card card-body stack stack-small" aria-label="In progress">
      <Progress done={running.done} total={running.total} label={running.label} />
      <p className="small">
        {running.is_paused
          ? 'It is finished only after the queue maintenance is resumed, which is paused now.'
          : 'It continues if you leave.'}{' '}
        <a href={jobAddress(running.job)}>View job</a>
      </p>
    </section>
  )
}

function RegistryTabs({ queue, current }: { queue: QueueRow; current: RegistryName }) {
  return (
    <nav className="tabs" aria-label={`Jobs in ${queue.name}`}>
      {registryNames.map((registry) => (
        <a
          key={registry}
          href={listAddress(queue.name, registry)}
          aria-current={registry === current ? 'page' : undefined}
        >
          {registryTitles[registry]} <span className="numbers">{countText(queue.counts[registry])}</span>
        </a>
      ))}
    </nav>
  )
}

const everything = { value: '', label: 'all' }
const ages = [
  { value: '', label: 'any time' },
  { value: '15m', label: 'last 15 minutes' },
  { value: '1h', label: 'last hour' },
  { value: '24h', label: 'last 24 hours' },
  { value: '7d', label: 'last 7 days' },
]
const states = [everything, ...['finished', 'stopped'].map((state) => ({ value: state, label: state }))]

/** The search and the filters. */
function ListSearchForm({ list }: { list: ReturnType<typeof useJobList> }) {
  const { query, shown, search } = list
  const tasks = [everything, ...shown.tasks.map((task) => ({ value: task, label: taskTitle(task) }))]
  return (
    <StaffSearchForm
      id="search-text"
      placeholder="Name, arguments or error"
      query={{ ...query }}
      filters={[
        { name: 'task', label: 'Callable', options: tasks },
        ...(shown.registry === 'finished' ? [{ name: 'status', label: 'Status', options: states }] : []),
        { name: 'age', label: 'Created', options: ages },
      ]}
      onSearch={search}
      isSearching={list.isSearching}
      found={matchesText(shown)}
    />
  )
}

/** Further pages by number if the total is known, otherwise from where the search stopped. */
function ListPages({ props }: { props: JobListProps }) {
  const { search, pagination, next_cursor: cursor, chart_span: chart } = props
  if (pagination !== null) {
    return <Pagination pagination={pagination} hrefOf={(page) => searchText(search, { page, chart }) || '?page=1'} />
  }
  if (cursor === null) return null
  const href = searchText(search, { cursor, chart })
  if (!props.is_partial) return <NextPage href={href} />
  const about = <span className="small muted">Only the newest jobs have been searched so far.</span>
  return (
    <NextPage href={href} about={about}>
      Keep searching
    </NextPage>
  )
}

export function Island({ props, context }: IslandProps<JobListProps>) {
  const list = useJobList(props)
  const { shown, news } = list
  const { queue, registry, running } = shown
  return (
    <div className="stack stack-large scheduler">
      <PageHead above={<Crumbs steps={[toQueues]} />} title={listTitle(queue.counts[registry], registry, queue.name)}>
        <div className="row">
          <LiveMark liveness={list.liveness} path={context.path} />
          <BulkLinks props={shown} />
          <LinkButton kind="quiet" href={ofQueue(queue.name, 'settings')}>
            Settings
          </LinkButton>
          <PauseLink queue={queue} />
        </div>
      </PageHead>
      <PausedNote queue={queue} context={context} />
      <RegistryTabs queue={queue} current={registry} />
      {running === null ? null : <RunningAct running={running} />}
      <ListSearchForm list={list} />
      <ErrorSummary errors={list.errors} />
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
      <div className="row list-foot">
        {shown.jobs.length === 0 ? null : (
          <div className="check small">
            <input id="all-columns" type="checkbox" />
            <label htmlFor="all-columns">All times and states</label>
          </div>
        )}
      </div>
      <ListPages props={shown} />
      <Throughput
        steps={shown.chart}
        span={shown.chart_span}
        hrefOf={(chart) => listAddress(queue.name, registry, searchText(shown.search, { chart }))}
        timeZone={context.time_zone}
      />
      <TimePerJob steps={shown.chart} timeZone={context.time_zone} />
    </div>
  )
}

const requeue = { action: 'requeue', all: 'Requeue All', matching: 'Requeue all that match' }
const cancel = { action: 'cancel', all: 'Cancel All', matching: 'Cancel all that match' }
const stop = { action: 'stop', all: 'Stop All', matching: 'Stop all that match' }
const empty = { action: 'empty', all: 'Empty Queue', matching: 'Delete all that match' }

const wholeActs: Record<RegistryName, readonly (typeof empty)[]> = {
  scheduled: [cancel, empty],
  queued: [cancel, empty],
  active: [stop],
  finished: [empty],
  failed: [requeue, empty],
  canceled: [empty],
}

/** Actions on the whole list, or on everything its search matches. Each asks for confirmation first. */
function BulkLinks({ props }: { props: JobListProps }) {
  const { queue, registry, search } = props
  if (props.jobs.length === 0 && props.next_cursor === null) return null
  return (
    <>
      {wholeActs[registry].map(({ action, all, matching }) => (
        <LinkButton
          key={action}
          kind={action === 'empty' ? 'danger' : 'plain'}
          href={bulkAddress(queue.name, registry, action, searchText(search))}
        >
          {isNarrowed(search) ? matching : all}
        </LinkButton>
      ))}
    </>
  )
}
