import type { Recipient } from '../../../src/class-tracker/contract.ts'
import { RelativeTime } from '../../components/relative-time.tsx'

/** The answer first: how much is watched, what is open now, and when the schools were last read. */
export function WatchSummary({ recipients, timeZone }: { recipients: readonly Recipient[]; timeZone: string }) {
  const watched = new Map(
    recipients.flatMap(({ watched_sections: sections }) => sections.map((section) => [section.id, section] as const)),
  )
  const sections = [...watched.values()]
  const open = sections.filter(({ status }) => status === 'open').length
  const newest = sections
    .flatMap(({ observed_at: at }) => (at === null ? [] : [at]))
    .toSorted()
    .at(-1)
  return (
    <dl className="figures">
      <div>
        <dt>Sections watched</dt>
        <dd>{sections.length}</dd>
      </div>
      <div>
        <dt>Open now</dt>
        <dd className={open > 0 ? 'figure-open' : undefined}>{open}</dd>
      </div>
      <div>
        <dt>Recipients</dt>
        <dd>{recipients.length}</dd>
      </div>
      <div>
        <dt>Last checked</dt>
        <dd>{newest === undefined ? 'not yet' : <RelativeTime at={newest} timeZone={timeZone} />}</dd>
      </div>
    </dl>
  )
}
