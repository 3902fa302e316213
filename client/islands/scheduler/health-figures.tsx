import type { Health } from '../../../src/scheduler/contract.ts'
import { Icon } from '../../components/icon.tsx'
import { Moment } from './moment.tsx'
import { countText } from '../../components/count-text.ts'

/** "340 kB", "1.2 GB": units of a thousand. */
export function sizeText(bytes: number): string {
  const power = Math.min(3, Math.floor(Math.log10(Math.max(1000, bytes)) / 3))
  const size = bytes / 1000 ** power
  return `${size < 10 ? Number(size.toFixed(1)) : Math.round(size)} ${['', 'kB', 'MB', 'GB'][power]}`
}

interface FigureProps {
  label: string
  value: string
  note: string
  /** A word beside the color; null: nothing to say. */
  state: 'good' | 'bad' | null
}

function Figure({ label, value, note, state }: FigureProps) {
  return (
    <div className={state === null ? 'figure' : `figure figure-${state}`}>
      <dt>{label}</dt>
      <dd>
        {state === null ? null : <Icon name={state === 'good' ? 'check' : 'warning'} size={20} />}
        {value}
      </dd>
      <dd className="figure-note">{note}</dd>
    </div>
  )
}

function pollsFigure({ sources_watched: watched, sources_on_time: onTime }: Health, arePaused: boolean): FigureProps {
  const label = 'Polls on time'
  if (arePaused) return { label, value: 'paused', note: 'No seats are checked.', state: 'bad' }
  if (watched === 0) return { label, value: 'none due', note: 'No sections are being watched.', state: null }
  return {
    label,
    value: `${countText(onTime)} of ${countText(watched)}`,
    note: 'sources checked on schedule',
    state: onTime < watched ? 'bad' : 'good',
  }
}

/** The four answers the operator came for. */
export function figuresOf(health: Health, arePollsPaused = false): FigureProps[] {
  const { unhealthy } = health
  const { database } = health
  const { deliveries_today: sent, deliveries_failed_today: failed } = health
  return [
    pollsFigure(health, arePollsPaused),
    {
      label: 'Unhealthy sources',
      value: countText(unhealthy.length),
      note: unhealthy.length === 0 ? 'all sources responding' : unhealthy.map(({ name }) => name).join(', '),
      state: unhealthy.length === 0 ? 'good' : 'bad',
    },
    {
      label: 'Failed deliveries',
      value: countText(failed),
      note: `of ${countText(sent)} in the last 24 hours`,
      state: failed === 0 ? 'good' : 'bad',
    },
    {
      label: 'Database',
      value: database.bytes === null ? 'unknown' : sizeText(database.bytes),
      note: `of ${sizeText(database.limit_bytes)}${database.is_nearly_full ? ': keep data for fewer days, or raise the limit' : ''}`,
      state: database.bytes === null ? null : database.is_nearly_full ? 'bad' : 'good',
    },
  ]
}

interface HealthFiguresProps {
  health: Health
  arePollsPaused: boolean
  timeZone: string
}

/** Is everything on time? */
export function HealthFigures({ health, arePollsPaused, timeZone }: HealthFiguresProps) {
  return (
    <section className="stack" aria-label="Health">
      <dl className="figure-cards">
        {figuresOf(health, arePollsPaused).map((figure) => (
          <Figure key={figure.label} {...figure} />
        ))}
      </dl>
      {health.unhealthy.length === 0 ? null : (
        <ul className="card rows">
          {health.unhealthy.map(({ id, name, error, since }) => (
            <li key={id} className="card-body row">
              <span className="grow">
                <strong>{name}</strong> <span className="source-error small">{error.split('\n', 1)[0]}</span>
              </span>
              {since === null ? null : (
                <span className="small muted">
                  since <Moment at={since} timeZone={timeZone} />
                </span>
              )}
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}
