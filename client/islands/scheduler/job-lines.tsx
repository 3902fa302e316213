import type { JobPage } from '../../../src/scheduler/contract.ts'
import { absoluteText } from '../../components/time-text.ts'

/** What the job had to say, oldest first. New lines arrive while it runs. */
export function JobLines({ lines, timeZone }: { lines: JobPage['lines']; timeZone: string }) {
  if (lines.length === 0) return null
  return (
    <section className="card card-body stack stack-small" aria-labelledby="lines">
      <h2 id="lines">Log</h2>
      <ol className="code log" role="log" aria-labelledby="lines">
        {lines.map(({ at, line }, index) => (
          <li key={`${at} ${index}`}>
            <time className="muted" dateTime={at}>
              {absoluteText(at, timeZone, true)}
            </time>{' '}
            {line}
          </li>
        ))}
      </ol>
    </section>
  )
}
