import type { JobListProps } from '../../../src/scheduler/contract.ts'
import type { PageContext } from '../../../src/web/contract.ts'
import { Button, LinkButton } from '../../components/button.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { PostForm } from '../../components/post-form.tsx'
import { listAddress, ofQueue, searchText } from './addresses.ts'
import { JobTable, oneJobForm } from './job-table.tsx'
import { emptyTexts, isNarrowed, jobsText, selectionActs } from './texts.ts'
import { useSelection } from './use-selection.ts'

function NoJobs({ props }: { props: JobListProps }) {
  const { queue, registry, next_cursor: cursor } = props
  if (!isNarrowed(props.search)) {
    return (
      <EmptyState title={`No ${registry} jobs in ${queue.name}`}>
        <p>{emptyTexts[registry]}</p>
      </EmptyState>
    )
  }
  return (
    <EmptyState title={cursor === null ? 'No jobs match the search' : 'None found so far'}>
      {cursor === null ? null : <p>Older jobs have not been searched yet.</p>}
      <LinkButton href={listAddress(queue.name, registry)}>Show all {registry} jobs</LinkButton>
    </EmptyState>
  )
}

/** The jobs of the page, and the actions on the selected ones. Each asks for confirmation first. */
export function JobSelection({ props, context }: { props: JobListProps; context: PageContext }) {
  const { queue, registry, jobs, search } = props
  const selection = useSelection(jobs.map(({ name }) => name))
  const count = selection.chosen.size
  if (jobs.length === 0) {
    return (
      <div className="card" role="status">
        <NoJobs props={props} />
      </div>
    )
  }
  const place = { page: props.pagination?.current_page ?? 1, cursor: props.cursor, chart: props.chart_span }
  const next = (
    <input type="hidden" name="next_url" value={listAddress(queue.name, registry, searchText(search, place))} />
  )
  return (
    <>
      {/* The row menus' buttons belong to a form of their own: Enter on a checkbox presses its form's first button. */}
      <PostForm context={context} id={oneJobForm}>
        {next}
      </PostForm>
      <PostForm context={context} className="card" action={ofQueue(queue.name, 'confirm-action')}>
        {next}
        <JobTable jobs={jobs} registry={registry} timeZone={context.time_zone} selection={selection} />
        <div className="row bulk-bar card" role="group" aria-label="With selected">
          <span className="small strong numbers" role="status">
            {count === 0 ? <span className="chosen-count">selected</span> : `${jobsText(count)} selected`}
          </span>
          {selectionActs[registry].map(({ action, label }) => (
            <Button
              key={action}
              type="submit"
              name="action"
              value={action}
              kind={action === 'delete' ? 'danger' : 'plain'}
            >
              {label}
            </Button>
          ))}
          {count === 0 ? null : (
            <Button kind="quiet" icon="close" iconOnly onClick={() => selection.pressAll(false)}>
              Clear selection
            </Button>
          )}
        </div>
      </PostForm>
    </>
  )
}
