import { Badge } from '../../../client/components/badge.tsx'
import { LeadingFigure } from '../../../client/components/leading-figure.tsx'
import { SeatBar } from '../../../client/components/seat-bar.tsx'
import { statusWords } from '../../../client/components/status-words.ts'
import { TableHead } from '../../../client/components/table-head.tsx'
import { clockText, durationText } from '../../../client/components/time-text.ts'
import { seatsText, sectionCode, sectionTitle } from '../../../client/islands/class-tracker/section-text.ts'
import type { OpenedSection } from '../alerts/opened-today.ts'
import type { Overview } from '../alerts/read-overview.ts'
import { countedText } from './today-figures.tsx'

/** Each section once: its newest opening and its earlier ones. */
function openedSections(opened: readonly OpenedSection[]): { newest: OpenedSection; earlier: OpenedSection[] }[] {
  return [...Map.groupBy(opened, ({ section }) => section.id).values()].flatMap(([newest, ...earlier]) =>
    newest ? [{ newest, earlier }] : [],
  )
}

/** "4 people", "2 of 4 people", or the person's name. */
function notifiedText({ people, person, notified }: OpenedSection): string {
  if (notified === 0) return 'Nobody'
  if (people === 1) return person ?? '1 person'
  return notified === people ? `${countedText(people)} people` : `${notified} of ${countedText(people)} people`
}

/** The outcome of its messages, and of the seat. */
function Result({ opened }: { opened: OpenedSection }) {
  const { people, messages, failed, held, first_sent_at: sent, gone_at: gone } = opened
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
  if (messages > 0) return <span className="muted">{gone === null ? 'On its way' : `Gone after ${after(gone)}`}</span>
  if (held > 0) return <span className="muted">Held for now</span>
  return <span className="figure-failed">Not sent: no contact</span>
}

interface OpenedRowProps {
  opened: OpenedSection
  earlier: readonly OpenedSection[]
  timeZone: string
}

function OpenedRow({ opened, earlier, timeZone }: OpenedRowProps) {
  const { section, is_current: isCurrent } = opened
  return (
    <tr>
      <td data-label="Opened" className="nowrap">
        {clockText(opened.opened_at, timeZone)}
        {earlier.length > 0 && (
          <span
            className="muted"
            title={`Also opened at ${earlier.map(({ opened_at: at }) => clockText(at, timeZone)).join(', ')}`}
          >
            {` ${earlier.length + 1}×`}
          </span>
        )}
      </td>
      <td data-label="Section">
        <strong>{sectionCode(section)}</strong> <bdi className="row-about">{sectionTitle(section)}</bdi>
      </td>
      <td data-label="School" className="muted">
        {opened.school_name}
      </td>
      <td data-label="Seats now">
        <div className="seat-line">
          <SeatBar
            status={isCurrent ? section.status : 'unknown'}
            seats={section.seats_available}
            capacity={section.capacity}
          />
          <span>
            {isCurrent && section.status === 'open' ? <LeadingFigure text={seatsText(section)} /> : seatsText(section)}
          </span>
        </div>
      </td>
      <td data-label="Status">
        {isCurrent || section.observed_at === null ? (
          <Badge tone={section.status}>{statusWords[section.status]}</Badge>
        ) : (
          <span className="muted">checked {clockText(section.observed_at, timeZone)}</span>
        )}
      </td>
      <td data-label="Notified">
        <bdi>{notifiedText(opened)}</bdi>
      </td>
      <td data-label="Result">
        <Result opened={opened} />
      </td>
    </tr>
  )
}

/** The sections that opened since midnight, as they are now. */
export function OpenedToday({ overview, timeZone }: { overview: Overview; timeZone: string }) {
  const { today, opened } = overview
  const sections = openedSections(opened)
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
      {sections.length === 0 ? (
        <p className="muted">No seats have opened today.</p>
      ) : (
        <div className="card">
          <table className="table table-lines">
            <TableHead names={['Opened', 'Section', 'School', 'Seats now', 'Status', 'Notified', 'Result']} />
            <tbody>
              {sections.map(({ newest, earlier }) => (
                <OpenedRow key={newest.id} opened={newest} earlier={earlier} timeZone={timeZone} />
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  )
}
