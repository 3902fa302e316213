import type { Health } from '../../../src/scheduler/contract.ts'
import { Icon } from '../../components/icon.tsx'
import { Moment } from './moment.tsx'
import { countText } from './texts.ts'

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
  /** A word beside the colour; null: nothing to say. */
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

/** The four answers the operator came for. */
export function figuresOf(health: Health): FigureProps[] {
  const { sources_watched: watched, sources_on_time: onTime, unhealthy } = health
  const { database } = health
  const { deliveries_today: sent, deliveries_failed_today: failed } = health
  return [
    {
      label: 'Polls on time',
      value: watched === 0 ? 'none due' : `${countText(onTime)} of ${countText(watched)}`,
      note: watched === 0 ? 'No source has a watched section.' : 'sources asked when they should be',
      state: watched === 0 ? null : onTime < watched ? 'bad' : 'good',
    },
    {
      label: 'Unhealthy sources',
      value: countText(unhealthy.length),
      note: unhealthy.length === 0 ? 'every source answers' : unhealthy.map(({ name }) => name).join(', '),
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
      value: database.bytes === null ? 'not known' : sizeText(database.bytes),
      note: `of ${sizeText(database.limit_bytes)}${database.is_nearly_full ? ': keep data for fewer days, or raise the limit' : ''}`,
      state: database.bytes === null ? null : database.is_nearly_full ? 'bad' : 'good',
    },
  ]
}

/** Is everything on time? */
export function HealthFigures({ health, timeZone }: { health: Health; timeZone: string }) {
  return (
    <section className="stack" aria-label="Health">
      <dl className="figure-cards">
        {figuresOf(health).map((figure) => (
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
