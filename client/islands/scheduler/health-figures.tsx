import type { Health } from '../../../src/scheduler/contract.ts'
import { channelNames } from '../../components/channel-names.ts'
import { counted, countText } from '../../components/count-text.ts'
import { measureText } from '../../components/time-text.ts'

interface FigureProps {
  label: string
  value: string
  /** The total, shown after the value. */
  of?: string
  note: string
  href?: string
  isBad: boolean
}

function Figure({ label, value, of, note, href, isBad }: FigureProps) {
  return (
    <div className={isBad ? 'figure figure-bad' : 'figure'}>
      <dt>{label}</dt>
      <dd>
        {value} {of === undefined ? null : <small>{of}</small>}
      </dd>
      <dd className="figure-note">{href === undefined ? note : <a href={href}>{note}</a>}</dd>
    </div>
  )
}

function pollsFigure(
  { sources_watched: watched, sources_on_time: onTime, unhealthy }: Health,
  arePaused: boolean,
): FigureProps {
  const label = 'Polls on time'
  if (arePaused) return { label, value: 'paused', note: 'No seats are checked.', isBad: true }
  if (watched === 0) return { label, value: 'none due', note: 'No sections are being watched.', isBad: false }
  const isBad = onTime < watched
  const late = watched - onTime
  const asked =
    unhealthy.length === 0
      ? 'checked on schedule'
      : `queried on schedule; ${countText(unhealthy.length)} did not respond completely`
  const note = isBad ? `${counted(late, 'source is', 'sources are')} late` : asked
  const of = `of ${counted(watched, 'source')}`
  return { label, value: countText(onTime), of, note, isBad }
}

function sourcesFigure({ unhealthy }: Health): FigureProps {
  const note = unhealthy.length === 0 ? 'all sources responding' : unhealthy.map(({ name }) => name).join(', ')
  return { label: 'Unhealthy sources', value: countText(unhealthy.length), note, isBad: unhealthy.length > 0 }
}

/** For the channel with the most messages, because no figure mixes channels. */
function sentFigure({ sent_times: times }: Health): FigureProps {
  const accepted = times.filter(({ step, p50 }) => step === 'accepted' && p50 !== null)
  const [most] = accepted.toSorted((one, other) => other.measured - one.measured)
  const label = 'Time to first message'
  if (!most || most.p50 === null)
    return { label, value: '–', note: 'No alerts sent in the last 24 hours.', isBad: false }
  const slowest = most.p95 === null ? '' : ` · p95 ${measureText(most.p95)}`
  return {
    label,
    value: measureText(most.p50),
    of: 'median',
    note: `${channelNames[most.channel]}${slowest}`,
    isBad: false,
  }
}

function deliveriesFigure({ deliveries_24h: sent, deliveries_failed_24h: failed }: Health): FigureProps {
  return {
    label: 'Failed deliveries',
    value: countText(failed),
    of: failed === 0 ? `of ${countText(sent)}` : `of ${countText(sent)} in 24 h`,
    note: failed === 0 ? 'in the last 24 hours' : 'View failed messages',
    ...(failed > 0 && { href: '/class_tracker/class_alerts/?result=failed' }),
    isBad: failed > 0,
  }
}

/** The four figures that answer an operator's main questions. */
export function figuresOf(health: Health, arePollsPaused: boolean): FigureProps[] {
  return [pollsFigure(health, arePollsPaused), sourcesFigure(health), sentFigure(health), deliveriesFigure(health)]
}

export function HealthFigures({ health, arePollsPaused }: { health: Health; arePollsPaused: boolean }) {
  return (
    <dl className="figure-cards" aria-label="Health">
      {figuresOf(health, arePollsPaused).map((figure) => (
        <Figure key={figure.label} {...figure} />
      ))}
    </dl>
  )
}
