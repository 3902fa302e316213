import { useRef, useState } from 'react'
import type { ManageCourseListProps } from '../../../src/class-tracker/courses/contract.ts'
import type { RefreshedTerms } from '../../../src/class-tracker/refresh/contract.ts'
import { LinkButton } from '../../components/button.tsx'
import { LiveMark } from '../../components/live-mark.tsx'
import { NeedsScript } from '../../components/needs-script.tsx'
import { PageHead } from '../../components/page-head.tsx'
import { TrackerProblemNotices } from '../../components/tracker-problem-notices.tsx'
import { useLivePage } from '../../use-live-page.ts'
import type { IslandProps } from '../index.ts'
import { calls } from '#in-browser/islands/class-tracker/calls.ts'
import { FoundTerms } from '#in-browser/islands/class-tracker/found-lists.tsx'
import { RefreshCourses } from './refresh-courses.tsx'
import { RefreshButton, RefreshOutcome } from './refresh-step.tsx'
import { sourcesText, SourceTable } from './source-table.tsx'
import { useAllSchools } from './use-all-schools.tsx'
import { isRefreshedTerms, useRefresh } from './use-refresh.ts'

export function Island({ props, context }: IslandProps<ManageCourseListProps>) {
  const [shown, setShown] = useState(props)
  const changes = useRef(0)
  const { liveness, refresh: renew } = useLivePage<ManageCourseListProps>({
    changes,
    onPage: (page) => setShown(page.props),
  })
  function renewSoon(): void {
    // The table of sources is optional here: if loading it fails, the next update replaces it.
    renew().catch(() => undefined)
  }
  function onRefreshed(): void {
    changes.current += 1
    renewSoon()
  }
  const ofTerms = useRefresh<RefreshedTerms>({
    memory: 'class-tracker:refresh-terms',
    isResult: isRefreshedTerms,
    onStart: renewSoon,
    onDone: onRefreshed,
  })

  const { ask, question } = useAllSchools()

  const isPaused = (name: string) => (shown.paused_queues ?? []).some(({ queue }) => queue === name)
  const arePollsPaused = isPaused('polls')

  return (
    <div className="stack stack-large staff">
      <NeedsScript act="Manual refresh" />
      <PageHead
        title="Manage Course List"
        about={
          <>
            {`${sourcesText(shown.sources)} Refreshed nightly. `}
            <a className="only-script" href="#refresh">
              Refresh now.
            </a>
          </>
        }
      >
        <LiveMark liveness={liveness} isPaused={arePollsPaused} path={context.path} />
        <RefreshButton refresh={ofTerms.refresh} onStart={() => ask(() => ofTerms.start(() => calls.refreshTerms()))}>
          Refresh terms and schools
        </RefreshButton>
        <LinkButton kind="primary" icon="plus" href="/class_tracker/schools/">
          Add a school
        </LinkButton>
      </PageHead>
      <TrackerProblemNotices paused={shown.paused_queues} notices={shown.source_notices} context={context} />
      <RefreshOutcome
        refresh={ofTerms.refresh}
        isPaused={isPaused('refresh')}
        errorHeading="Error refreshing schools and terms:"
        successText={({ new_terms_count: count }) => `Success! ${count} new terms added`}
        found={(result) => <FoundTerms result={result} />}
      />
      <section className="card" aria-label="Sources">
        <SourceTable sources={shown.sources} isPolled={!arePollsPaused} timeZone={context.time_zone} />
      </section>
      <RefreshCourses
        schools={shown.schools}
        terms={shown.terms}
        onStart={renewSoon}
        onRefreshed={onRefreshed}
        isPaused={isPaused('refresh')}
      />
      {question}
    </div>
  )
}
