import type { ClassAlert, Delivery } from '../../../src/class-tracker/alerts/contract.ts'
import { channelNames } from '../../components/channel-names.ts'
import { Badge } from '../../components/badge.tsx'
import { Button } from '../../components/button.tsx'
import { Icon } from '../../components/icon.tsx'
import { RowMenu } from '../../components/row-menu.tsx'
import { SeatBar } from '../../components/seat-bar.tsx'
import { absoluteText, clockText } from '../../components/time-text.ts'
import {
  answerStep,
  deliverySteps,
  hasReceipts,
  noReceipts,
  promptnessText,
  sentCounts,
  stepTimeText,
} from './delivery-steps.ts'
import { counted, instructionText, seatsText, sectionName, sectionNumbers } from './section-text.ts'

/** What its messages' own steps do not say. */
function AlertState({ alert, timeZone }: { alert: ClassAlert; timeZone: string }) {
  switch (alert.state) {
    case 'no_contact':
      return <Badge tone="waitlisted">not sent: no contact</Badge>
    case 'held':
      return (
        <Badge tone="info">
          {alert.wave > 0 ? `turn ${alert.wave + 1}` : 'held'}
          {alert.release_at && ` ${alert.wave > 0 ? 'at' : 'until'} ${clockText(alert.release_at, timeZone)}`}
        </Badge>
      )
    case 'pending':
      return <Badge tone="info">on its way</Badge>
    case 'failed':
      return <Badge tone="danger">failed</Badge>
    case 'gone':
      return <Badge>seat gone before it was sent</Badge>
    case 'expired':
      return <Badge tone="danger">too old to send</Badge>
    case 'canceled':
      return <Badge>canceled</Badge>
    case 'sent': {
      const { accepted, left } = sentCounts(alert)
      if (left === 0) return null
      return (
        <Badge tone="info">
          {accepted} of {accepted + left} sent
        </Badge>
      )
    }
  }
}

interface DeliveryLineProps {
  delivery: Delivery
  /** What the steps' seconds count from (ISO 8601). */
  seenAt: string
  timeZone: string
  isRetrying: boolean
  onRetry: () => void
}

function DeliveryLine({ delivery, seenAt, timeZone, isRetrying, onRetry }: DeliveryLineProps) {
  const moment = delivery.delivered_at ?? delivery.accepted_at ?? delivery.created_at
  const notes = [
    ...(delivery.attempts > 1 ? [counted(delivery.attempts, 'attempt')] : []),
    ...(delivery.is_repeated ? ['may have arrived twice'] : []),
    ...(delivery.state === 'sent' && !hasReceipts(delivery) ? [noReceipts] : []),
  ]
  return (
    <li className="delivery">
      <span className="delivery-to">
        <Icon name={delivery.channel} size={16} />
        <span className="hidden-visually">{`${channelNames[delivery.channel]} to `}</span>
        <span className="clip numbers">{delivery.address}</span>
      </span>
      <span className="delivery-how">
        <ol className="steps" aria-label="Steps" title={absoluteText(moment, timeZone, true)}>
          {[...deliverySteps(delivery), ...answerStep(delivery)].map(({ label, state }) => (
            <li key={label} className={`step step-${state}`} aria-current={state === 'now' ? 'step' : undefined}>
              {state === 'done' && <Icon name="check" size={12} />}
              {state === 'failed' && <Icon name="close" size={12} />}
              <span className="step-label">{label}</span>
              <StepTime text={stepTimeText(delivery, label, seenAt)} />
              {state === 'todo' && <span className="hidden-visually"> (not yet)</span>}
            </li>
          ))}
        </ol>
        {notes.length > 0 && <span className="muted tiny">{notes.join(' · ')}</span>}
        {(delivery.state === 'failed' || delivery.state === 'expired') && (
          <Button busy={isRetrying} onClick={onRetry}>
            Retry
          </Button>
        )}
      </span>
      {delivery.last_error && delivery.state !== 'delivered' && delivery.state !== 'sent' && (
        <p className="delivery-error tiny">{delivery.last_error}</p>
      )}
    </li>
  )
}

function StepTime({ text }: { text: string }) {
  return text === '' ? null : <span className="numbers">{` ${text}`}</span>
}

interface AlertEntryProps {
  alert: ClassAlert
  timeZone: string
  /** The deliveries being tried again right now. */
  retrying: ReadonlySet<number>
  onRetry: (deliveryId: number) => void
}

const statusWords = { waitlisted: 'Waitlist', closed: 'Closed' } as const

/** "3 left of 120 now", or why there is nothing to take. */
function nowText({ course_section: section, is_current: isCurrent }: ClassAlert): string {
  if (section.status === 'unknown') return 'Not known now'
  const text = section.status === 'open' ? seatsText(section) : statusWords[section.status]
  return `${text} ${isCurrent ? 'now' : 'when last checked'}`
}

/** When it was seen and sent, and where else it leads. */
function AlertMenu({ alert, timeZone }: { alert: ClassAlert; timeZone: string }) {
  const { id, recipient, course_section: section } = alert
  const moment = (at: string): string => absoluteText(at, timeZone, true)
  return (
    <div className="alert-more">
      <RowMenu id={`alert-${id}`} label={`More about ${sectionName(section)} for ${recipient.name}`}>
        <dl className="times tiny">
          {alert.last_closed_at && (
            <div>
              <dt>Last seen closed</dt>
              <dd>{moment(alert.last_closed_at)}</dd>
            </div>
          )}
          <div>
            <dt>Seen open</dt>
            <dd>{moment(alert.seen_open_at)}</dd>
          </div>
          {alert.accepted_at && (
            <div>
              <dt>First accepted by a provider</dt>
              <dd>{moment(alert.accepted_at)}</dd>
            </div>
          )}
          {section.observed_at && (
            <div>
              <dt>Last checked</dt>
              <dd>{moment(section.observed_at)}</dd>
            </div>
          )}
        </dl>
        <hr className="menu-line" />
        <a href={`?recipient_id=${recipient.id}`}>All alerts of this recipient</a>
        <a href={`/class_tracker/add_classes/?${new URLSearchParams({ q: recipient.name })}`}>Recipient</a>
        <a href={`/admin/sections/${section.id}/`}>Section in Admin</a>
      </RowMenu>
    </div>
  )
}

/** One class alert: which section, for whom, and the steps of each of its messages. */
export function AlertEntry({ alert, timeZone, retrying, onRetry }: AlertEntryProps) {
  const section = alert.course_section
  const promptness = promptnessText(alert)
  const details = [
    section.school.name,
    section.term.full_term_name,
    sectionNumbers(section),
    instructionText(section.instruction_list),
  ]
  const shown = details.filter((part) => part !== '')
  const whom = [alert.recipient.name, ...shown].join(' · ')
  return (
    <li className="alert" data-row>
      <div className="alert-time muted small numbers">
        <time dateTime={alert.datetime_created} title={absoluteText(alert.datetime_created, timeZone, true)}>
          {clockText(alert.datetime_created, timeZone)}
        </time>
      </div>
      <article className="alert-entry">
        <div className="alert-what">
          <div className="row">
            <h3 title={sectionName(section)}>{sectionName(section)}</h3>
            {alert.kind === 'reminder' && <Badge>Reminder</Badge>}
            <AlertState alert={alert} timeZone={timeZone} />
          </div>
          <p className="alert-whom" title={whom}>
            for <bdi className="strong">{alert.recipient.name}</bdi>
            <span className="muted">{` · ${shown.join(' · ')}`}</span>
          </p>
          <div className="alert-seats">
            <SeatBar
              status={alert.is_current ? section.status : 'unknown'}
              seats={section.seats_available}
              capacity={section.capacity}
            />
            <span className={alert.is_current && section.status === 'open' ? 'seats-open' : undefined}>
              {nowText(alert)}
            </span>
            {promptness !== '' && <span className="muted tiny">{promptness}</span>}
          </div>
        </div>
        {alert.deliveries.length > 0 && (
          <ul className="deliveries">
            {alert.deliveries.map((delivery) => (
              <DeliveryLine
                key={delivery.id}
                delivery={delivery}
                seenAt={alert.kind === 'reminder' ? delivery.created_at : alert.seen_open_at}
                timeZone={timeZone}
                isRetrying={retrying.has(delivery.id)}
                onRetry={() => onRetry(delivery.id)}
              />
            ))}
          </ul>
        )}
        <AlertMenu alert={alert} timeZone={timeZone} />
      </article>
    </li>
  )
}
