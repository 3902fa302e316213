import type { ReactNode } from 'react'
import { channelNames } from '../../../client/components/channel-names.ts'
import { Icon } from '../../../client/components/icon.tsx'
import { LinkButton } from '../../../client/components/button.tsx'
import { absoluteText, durationText } from '../../../client/components/time-text.ts'
import { contactsHref } from '../../../client/islands/class-tracker/delivery-line.tsx'
import { counted } from '../../lib/text.ts'
import type { FailedMessage, FailingSource } from '../alerts/attention.ts'
import type { Overview } from '../alerts/read-overview.ts'
import type { UnreadSource } from '../courses/contract.ts'
import { countedText } from './today-figures.tsx'

function Row({ children, acts }: { children: ReactNode; acts: ReactNode }) {
  return (
    <li>
      <span className="figure-failed">
        <Icon name="warning" size={16} />
      </span>
      <p>{children}</p>
      <span className="row">{acts}</span>
    </li>
  )
}

const viewSource = (id: number) => <LinkButton href={`/admin/sources/${id}/`}>View source</LinkButton>

const unknownText = (sections: number): string => `The status of ${counted(sections, 'watched section')} is not known.`

/** A source that does not answer, and of how many watched sections the status is not known because of it. */
function SourceRow({ source, unread, at }: { source: FailingSource; unread: UnreadSource | undefined; at: number }) {
  const { last_good_at: last, next_try_at: next, failures, why } = source
  return (
    <Row acts={viewSource(source.id)}>
      <strong>{source.name}</strong>{' '}
      {failures === 0
        ? 'asked us to wait.'
        : last === null
          ? 'has not responded yet.'
          : `has not responded for ${durationText(Math.max(0, at - Date.parse(last)))}.`}{' '}
      {unread && `${unknownText(unread.sections)} `}
      <span className="muted">
        {failures > 0 && why?.replace(/[^.!?…]$/, '$&.')}
        {next !== null && Date.parse(next) > at && ` Next try in ${durationText(Date.parse(next) - at)}.`}
      </span>
    </Row>
  )
}

function MessageRow({ message }: { message: FailedMessage }) {
  const { channel, address, recipient, section, why } = message
  return (
    <Row
      acts={
        <>
          {message.is_undeliverable && <LinkButton href={contactsHref(recipient.name)}>Edit contact</LinkButton>}
          <LinkButton href={`/class_tracker/class_alerts/?recipient_id=${recipient.id}&result=failed`}>
            View alert
          </LinkButton>
        </>
      }
    >
      <strong>
        {channelNames[channel]} to <bdi>{recipient.name}</bdi>
      </strong>{' '}
      about {section} failed. <span className="muted">{[address, why].filter(Boolean).join(': ')}</span>
    </Row>
  )
}

/** Problems for staff to solve: sources that do not answer, then messages that failed today. */
export function Attention({ overview, timeZone }: { overview: Overview; timeZone: string }) {
  const { at, today, troubled_sources: sources, failed_messages: messages } = overview
  const unread = overview.problems.unread_sources ?? []
  const troubled = new Set(sources.map(({ id }) => id))
  const others = unread.filter(({ id }) => !troubled.has(id))
  const more = today.failed_deliveries - messages.length
  const count = sources.length + others.length + Math.max(messages.length, today.failed_deliveries)
  if (count === 0) return null
  return (
    <section aria-labelledby="attention">
      <h2 id="attention">
        Needs attention <span className="muted numbers">{countedText(count)}</span>
      </h2>
      <ul className="attention">
        {sources.map((source) => (
          <SourceRow key={source.id} source={source} unread={unread.find(({ id }) => id === source.id)} at={at} />
        ))}
        {others.map(({ id, name, sections, since }) => (
          <Row key={id} acts={viewSource(id)}>
            <strong>{name}</strong> is partly checked. {unknownText(sections)}{' '}
            <span className="muted">Last read {absoluteText(since, timeZone)}.</span>
          </Row>
        ))}
        {messages.map((message) => (
          <MessageRow key={message.id} message={message} />
        ))}
        {messages.length > 0 && more > 0 && (
          <Row acts={<LinkButton href="/class_tracker/class_alerts/?result=failed">View all</LinkButton>}>
            {counted(more, 'more message')} failed today.
          </Row>
        )}
      </ul>
    </section>
  )
}
