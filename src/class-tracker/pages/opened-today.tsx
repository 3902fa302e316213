import { Badge } from '../../../client/components/badge.tsx'
import { LeadingFigure } from '../../../client/components/leading-figure.tsx'
import { SeatBar } from '../../../client/components/seat-bar.tsx'
import { statusWords } from '../../../client/components/status-words.ts'
import { DataTable } from '../../../client/components/data-table.tsx'
import { clockText, durationText } from '../../../client/components/time-text.ts'
import { seatsLeft, seatsText, sectionCode, sectionTitle } from '../../../client/islands/class-tracker/section-text.ts'
import type { OpenedSection } from '../alerts/opened-today.ts'
import type { Overview } from '../alerts/read-overview.ts'
import { countedText } from './today-figures.tsx'

interface TodaysSection {
  newest: OpenedSection
  earlier: readonly OpenedSection[]
}

/** Each section once: its newest opening and its earlier ones. */
function openedSections(opened: readonly OpenedSection[]): TodaysSection[] {
  return [...Map.groupBy(opened, ({ section }) => section.id).values()].flatMap(([newest, ...earlier]) =>
    newest ? [{ newest, earlier }] : [],
  )
}

/** "4 people", "2 of 4 people", or the person's name: only that may break within a word. */
function Notified({ opened: { people, person, notified } }: { opened: OpenedSection }) {
  if (notified === 0) return 'No one'
  if (people === 1) return person === null ? '1 person' : <bdi>{person}</bdi>
  return notified === people ? `${countedText(people)} people` : `${notified} of ${countedText(people)} people`
}

/** The outcome of its messages, and of the seat. */
function Result({ opened }: { opened: OpenedSection }) {
  const { people, messages, failed, under_way: underWay, held, unreachable } = opened
  const { first_sent_at: sent, gone_at: gone } = opened
  const seen = Date.parse(opened.opened_at)
  const after = (at: string): string => durationText(Math.max(0, Date.parse(at) - seen))
  if (people === 0) return <span className="muted">No longer watched</span>
  if (failed > 0) {
    return (
      <span className="figure-failed">
        {failed} of {messages} {messages === 1 ? 'message' : 'messages'} failed
      </span>
    )
  }
  if (sent !== null) {
    return (
      <span className="muted">
        Sent in {after(sent)}
        {gone !== null && ` · gone after ${after(gone)}`}
      </span>
    )
  }
  if (messages === 0 && held === 0 && unreachable > 0)
    return <span className="figure-failed">Not sent: no usable contact</span>
  if (gone !== null) return <span className="muted">Gone after {after(gone)}</span>
  if (underWay > 0) return <span className="muted">On its way</span>
  return <span className="muted">{held > 0 ? 'Held for now' : 'Not sent'}</span>
}

/** "9:05 AM", with how often it has opened today if more than once. */
function OpenedAt({ newest, earlier, timeZone }: TodaysSection & { timeZone: string }) {
  const again = `Also opened at ${earlier.map(({ opened_at: at }) => clockText(at, timeZone)).join(', ')}`
  return (
    <>
      {clockText(newest.opened_at, timeZone)}
      {earlier.length > 0 && <span className="muted" title={again}>{` ${earlier.length + 1}×`}</span>}
    </>
  )
}

function SeatsNow({ opened: { section, is_current: isCurrent } }: { opened: OpenedSection }) {
  const { status, capacity } = section
  const text = seatsText(section)
  return (
    <div className="seat-line">
      <SeatBar status={isCurrent ? status : 'unknown'} seats={seatsLeft(section)} capacity={capacity} />
      <span>{isCurrent && status === 'open' ? <LeadingFigure text={text} /> : text}</span>
    </div>
  )
}

interface StatusNowProps {
  opened: OpenedSection
  timeZone: string
}

function StatusNow({ opened: { section, is_current: isCurrent }, timeZone }: StatusNowProps) {
  if (isCurrent || section.observed_at === null)
    return <Badge tone={section.status}>{statusWords[section.status]}</Badge>
  return <span className="muted">checked {clockText(section.observed_at, timeZone)}</span>
}

/** The sections that opened since midnight, as they are now. */
export function OpenedToday({ overview, timeZone }: { overview: Overview; timeZone: string }) {
  const { today, opened } = overview
  const isCut = opened.length < today.openings
  return (
    <section className="stack stack-small" aria-labelledby="opened-today">
      <div className="page-head">
        <h2 id="opened-today">
          Opened today{' '}
          {isCut && <span className="muted">{`the newest ${opened.length} of ${countedText(today.openings)}`}</span>}
        </h2>
        <a className="small" href="/class_tracker/class_alerts/">
          All class alerts
        </a>
      </div>
      {opened.length === 0 ? (
        <p className="muted">No seats have opened today.</p>
      ) : (
        <div className="card">
          <DataTable
            className="table-lines"
            columns={[
              { label: 'Opened', className: 'nowrap', cell: (row) => <OpenedAt {...row} timeZone={timeZone} /> },
              {
                label: 'Section',
                cell: ({ newest: { section } }) => (
                  <>
                    <strong>{sectionCode(section)}</strong> <bdi className="row-about">{sectionTitle(section)}</bdi>
                  </>
                ),
              },
              { label: 'School', className: 'muted', cell: ({ newest }) => newest.school_name },
              { label: 'Seats now', cell: ({ newest }) => <SeatsNow opened={newest} /> },
              { label: 'Status', cell: ({ newest }) => <StatusNow opened={newest} timeZone={timeZone} /> },
              { label: 'Notified', cell: ({ newest }) => <Notified opened={newest} /> },
              { label: 'Result', cell: ({ newest }) => <Result opened={newest} /> },
            ]}
            rows={openedSections(opened)}
            keyOf={({ newest }) => newest.id}
          />
        </div>
      )}
    </section>
  )
}
