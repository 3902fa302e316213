import type { ReactNode } from 'react'
import type { MonthCost, SentTimes } from '../../src/class-tracker/alerts/contract.ts'
import { channelNames } from './channel-names.ts'
import { countText } from './count-text.ts'
import { DataTable } from './data-table.tsx'
import { measureText } from './time-text.ts'

const stepNames = { accepted: 'accepted by the provider', delivered: 'delivered', seen: 'seen' } as const

const timeText = (milliseconds: number | null): string => (milliseconds === null ? '–' : measureText(milliseconds))

/** "3,000", or "2,900 of 3,000" while not all of them are measured. */
const measuredText = ({ measured, messages }: Pick<SentTimes, 'measured' | 'messages'>): string =>
  measured === messages ? countText(messages) : `${countText(measured)} of ${countText(messages)}`

/** "4.2 s (3,000)", or how many of the group have arrived so far. */
function lastText(group: SentTimes['largest_group']): string {
  const soFar = group.measured === group.messages ? '' : ' so far'
  return `${timeText(group.last)} (${measuredText(group)}${soFar})`
}

/** "SMS 1,204 (1,204 segments), $13.61", "Notification 310, free". */
function costText({ channel, messages, segments, usd }: MonthCost): string {
  const parts = segments === null ? '' : ` (${countText(segments)} segments)`
  return `${channelNames[channel]} ${countText(messages)}${parts}, ${usd === 0 ? 'free' : `$${usd.toFixed(2)}`}`
}

export function MonthCosts({ month }: { month: readonly MonthCost[] }) {
  if (month.length === 0) return null
  return <p className="muted small">This month, at list prices: {month.map(costText).join(' · ')}</p>
}

export const sentTimesNote =
  'Measured from the check that found the open seat. Covers the newest 5,000 messages of the last 24 hours; unconfirmed messages are excluded.'

/** How long messages took: one row per channel and step, so that no figure mixes them. */
export function SentTimesTable({ times, empty }: { times: readonly SentTimes[]; empty?: ReactNode }) {
  return (
    <DataTable
      isWide
      className="table-dense"
      columns={[
        {
          label: 'Channel',
          cell: ({ channel, step }) => (
            <span>
              <span className="strong">{channelNames[channel]}</span> <span className="muted">{stepNames[step]}</span>
            </span>
          ),
        },
        { label: 'Messages', isNumber: true, cell: measuredText },
        { label: 'Median', isNumber: true, cell: ({ p50 }) => timeText(p50) },
        { label: 'p95', isNumber: true, cell: ({ p95 }) => timeText(p95) },
        { label: 'Last of the largest batch', isNumber: true, cell: (row) => lastText(row.largest_group) },
      ]}
      rows={times}
      keyOf={({ channel, step }) => `${channel} ${step}`}
      empty={empty}
    />
  )
}
