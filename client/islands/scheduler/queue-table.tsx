import { type QueueRow, type RegistryName, registryNames } from '../../../src/scheduler/contract.ts'
import type { PageContext } from '../../../src/web/contract.ts'
import { Badge } from '../../components/badge.tsx'
import { listAddress, ofQueue, queuesAddress } from './addresses.ts'
import { Moment } from './moment.tsx'
import { PauseLink, ResumeForm } from './pause-form.tsx'
import { countText } from '../../components/count-text.ts'
import { registryTitles } from './texts.ts'

function Count({ queue, registry }: { queue: QueueRow; registry: RegistryName }) {
  const count = queue.counts[registry]
  const isTrouble = registry === 'failed' && count > 0
  return (
    <a
      className={isTrouble ? 'count count-danger' : count === 0 ? 'count count-none' : 'count'}
      href={listAddress(queue.name, registry)}
    >
      {countText(count)}
      <span className="hidden-visually">
        {' '}
        {registry} in {queue.name}
      </span>
    </a>
  )
}

function Reachable({ queue, context }: { queue: QueueRow; context: PageContext }) {
  return (
    <>
      {registryNames.map((registry) => (
        <td key={registry} className="cell-end" data-label={registryTitles[registry]}>
          <Count queue={queue} registry={registry} />
        </td>
      ))}
      <td data-label="Oldest Queued Job">
        <Moment at={queue.oldest_queued_at} timeZone={context.time_zone} />
      </td>
      <td className="cell-end" data-label="Workers">
        <a className="count" href={ofQueue(queue.name, 'workers')}>
          {countText(queue.workers)}
          <span className="hidden-visually"> workers for {queue.name}</span>
        </a>
      </td>
      <td data-label="Last tick">
        <Moment at={queue.last_tick_at} timeZone={context.time_zone} />
      </td>
      <td>
        {queue.paused ? (
          <div className="row row-end">
            <ResumeForm queue={queue} context={context} />
          </div>
        ) : (
          <PauseLink queue={queue} />
        )}
      </td>
    </>
  )
}

/** One row per queue; a queue that does not answer keeps its row, which says so. */
export function QueueTable({ queues, context }: { queues: readonly QueueRow[]; context: PageContext }) {
  return (
    <section className="card" aria-labelledby="queues">
      <div className="card-head row">
        <h2 id="queues">Queues</h2>
        <a className="push small" href={`${queuesAddress}stats.json`}>
          View as JSON
        </a>
      </div>
      <div className="wide">
        <table className="table table-dense table-figures">
          <thead>
            <tr>
              <th scope="col">Name</th>
              {registryNames.map((registry) => (
                <th key={registry} scope="col" className="cell-end">
                  {registryTitles[registry]}
                </th>
              ))}
              <th scope="col">Oldest Queued Job</th>
              <th scope="col" className="cell-end">
                Workers
              </th>
              <th scope="col">Last tick</th>
              <th scope="col">
                <span className="hidden-visually">Pause or resume</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {queues.map((queue) => (
              <tr key={queue.name} data-queue={queue.name}>
                <td data-label="Name">
                  <span className="row">
                    <a className="strong" href={listAddress(queue.name, 'queued')}>
                      {queue.name}
                    </a>
                    {queue.paused ? <Badge tone="waitlisted">Paused</Badge> : null}
                    {queue.is_reachable ? null : <Badge tone="danger">Unreachable</Badge>}
                  </span>
                </td>
                {queue.is_reachable ? (
                  <Reachable queue={queue} context={context} />
                ) : (
                  <td colSpan={10} data-label="State">
                    No response in time, so its jobs are unknown. Reload the page to try again.
                  </td>
                )}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  )
}
