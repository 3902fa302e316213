import { Fragment } from 'react'
import { counted } from '../../../../client/components/count-text.ts'
import { Icon } from '../../../../client/components/icon.tsx'
import { ServerIcon } from '../../../../client/components/server-icon.tsx'
import type { ClassServer, LinkRow } from '../find-link.ts'
import { readableKind, readableName, readableTimes } from './readable-text.ts'

/** When and where the class is, who teaches it, and its Discord server if one is listed. */
export function AlertDetails({ row, server }: { row: LinkRow; server: ClassServer | null }) {
  return (
    <>
      <dl className="seat-details">
        {factsOf(row).map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{name === 'When' ? <Times text={value} /> : value}</dd>
          </div>
        ))}
      </dl>
      {server && <ServerOffer server={server} />}
    </>
  )
}

/** What people who register look for, in this order. Leaves out what the school does not say. */
function factsOf(row: LinkRow): [label: string, value: string][] {
  const { instruction_list: list, details = [] } = row.section
  const texts = new Map(details.map(({ label, text }) => [label, text]))
  const joined = (parts: (string | undefined)[], by = '; ') => [...new Set(parts.filter(Boolean))].join(by)
  const facts: [string, string][] = [
    ['Note', texts.get('Note') ?? ''],
    ['When', joined(list.map(({ days_times }) => readableTimes(days_times)))],
    ['Where', whereOf(row)],
    ['With', joined(list.map(({ name }) => readableName(name)))],
    ['Dates', joined([texts.get('Dates'), texts.get('Session')], ' · ')],
    ['Type', joined([readableKind(texts.get('Type') ?? ''), texts.get('Credits')], ' · ')],
  ]
  return facts.filter(([, value]) => value !== '')
}

/** The room and its campus. A campus named "online" adds nothing to a room. */
function whereOf({ section_place: place, section_campus: campus }: LinkRow): string {
  if (place === '' || campus === '') return place || campus
  return /online/i.test(campus) ? place : `${place} · ${campus}`
}

/** Lines end between two times, never within one: "Mon 5:15–6:05 PM, Sat 11:15 AM–1:00 PM". */
function Times({ text }: { text: string }) {
  return text.split(/(?<=[,;]) /).map((part, index) => (
    <Fragment key={index}>
      {index > 0 && ' '}
      <span className="whole">{part}</span>
    </Fragment>
  ))
}

function ServerOffer({ server: { id, name, members } }: { server: ClassServer }) {
  return (
    <p className="offer">
      <ServerIcon name={name} url={null} />
      <span className="offer-text">
        <a className="strong" href={`/classcords/server/${id}/`}>
          <bdi>{name}</bdi>
        </a>
        <span className="muted meta">The class’s Discord · {counted(members, 'member')}</span>
      </span>
      <Icon name="next" />
    </p>
  )
}
