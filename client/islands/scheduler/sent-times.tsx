import type { SentTimes } from '../../../src/scheduler/contract.ts'
import { EmptyState } from '../../components/empty-state.tsx'
import { measureText } from '../../components/time-text.ts'
import { countText } from './texts.ts'

const channelNames: Readonly<Record<string, string>> = { phone: 'SMS', email: 'E-mail', discord: 'Discord' }
const stepNames = { accepted: 'accepted by the provider', delivered: 'delivered' } as const

const timeText = (milliseconds: number | null): string => (milliseconds === null ? '–' : measureText(milliseconds))

/** "4.2 s (3 000)", or how many of the group have come so far. */
function lastText({ last, measured, messages }: SentTimes['largest_group']): string {
  const group = measured === messages ? countText(messages) : `${countText(measured)} of ${countText(messages)} so far`
  return `${timeText(last)} (${group})`
}

/** How long messages took: a row for each channel and step, so that no figure mixes them. */
export function SentTimesTable({ times }: { times: readonly SentTimes[] }) {
  return (
    <section className="card" aria-labelledby="sent-times">
      <div className="card-head">
        <h2 id="sent-times">From seat to message</h2>
        <p className="muted small">
          From the poll that saw the seat, in 24 hours (the newest 5{'\u202f'}000 messages). What is unconfirmed is not
          counted.
        </p>
      </div>
      {times.length === 0 ? (
        <EmptyState small title="No seat has opened yet." />
      ) : (
        <div className="wide">
          <table className="table table-dense">
            <thead>
              <tr>
                <th scope="col">Channel</th>
                <th scope="col">Messages</th>
                <th scope="col">Half within</th>
                <th scope="col">95 of 100 within</th>
                <th scope="col">Last of the largest group</th>
              </tr>
            </thead>
            <tbody>
              {times.map((row) => (
                <tr key={`${row.channel} ${row.step}`}>
                  <td data-label="Channel">
                    <span>
                      <span className="strong">{channelNames[row.channel] ?? row.channel}</span>{' '}
                      <span className="muted">{stepNames[row.step]}</span>
                    </span>
                  </td>
                  <td data-label="Messages">
                    {row.measured === row.messages
                      ? countText(row.messages)
                      : `${countText(row.measured)} of ${countText(row.messages)}`}
                  </td>
                  <td data-label="Half within">{timeText(row.p50)}</td>
                  <td data-label="95 of 100 within">{timeText(row.p95)}</td>
                  <td data-label="Last of the largest group">{lastText(row.largest_group)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  )
}
