import type { ClassAlert } from '../../../src/class-tracker/alerts/contract.ts'
import { Badge } from '../../components/badge.tsx'
import { LinkButton } from '../../components/button.tsx'
import { Icon } from '../../components/icon.tsx'
import { counted } from '../../components/count-text.ts'
import { LeadingFigure } from '../../components/leading-figure.tsx'
import { RowMenu } from '../../components/row-menu.tsx'
import { SeatBar } from '../../components/seat-bar.tsx'
import { absoluteText, clockText } from '../../components/time-text.ts'
import { channelNames } from '../../components/channel-names.ts'
import { byChannel, failedFirst, foldedPeople } from './alert-groups.ts'
import { attemptsText, contactsHref, DeliveryLine, errorText, hasFailed } from './delivery-line.tsx'
import { responseTimeText } from './delivery-steps.ts'
import {
  instructionText,
  numberText,
  seatsLeft,
  seatsText,
  sectionCode,
  sectionName,
  sectionTitle,
} from './section-text.ts'

/** What the steps of its messages do not say. */
function AlertState({ alert, timeZone }: { alert: ClassAlert; timeZone: string }) {
  const { state, deliveries, recipient, has_contacts: hasContacts } = alert
  if (state === 'no_contact') {
    return (
      <li className="delivery delivery-failed">
        <span className="delivery-to muted">{hasContacts ? 'No usable contact' : 'No contact info'}</span>
        <span className="row delivery-how">
          <span className="step step-failed figure-failed">
            <Icon name="close" size={12} />
            not sent: no contact
          </span>
          <LinkButton href={contactsHref(recipient.name)}>{hasContacts ? 'View contacts' : 'Add contact'}</LinkButton>
        </span>
      </li>
    )
  }
  const text = state === 'held' ? heldText(alert, timeZone) : deliveries.length === 0 ? stateWords[state] : ''
  if (text === '') return null
  return (
    <li>
      <Badge tone="info">{text}</Badge>
    </li>
  )
}

const stateWords: Readonly<Record<Exclude<ClassAlert['state'], 'held' | 'no_contact'>, string>> = {
  pending: 'on its way',
  sent: 'sent',
  failed: 'failed',
  gone: 'seat gone before it was sent',
  expired: 'expired before it was sent',
  canceled: 'canceled',
}

/** "turn 3 at 2:05 PM", "held until 7:00 AM" */
function heldText({ wave, release_at: at }: ClassAlert, timeZone: string): string {
  const what = wave > 0 ? `turn ${wave + 1}` : 'held'
  return at === null ? what : `${what} ${wave > 0 ? 'at' : 'until'} ${clockText(at, timeZone)}`
}

const closedWords = { waitlisted: 'Waitlist', closed: 'Closed' } as const

/** "3 left of 120 now", or why no seat can be taken. */
function nowText({ course_section: section, is_current: isCurrent }: ClassAlert): string {
  if (section.status === 'unknown') return 'Unknown'
  const text = section.status === 'open' ? seatsText(section) : closedWords[section.status]
  return `${text} ${isCurrent ? 'now' : 'when last checked'}`
}

/** When it was seen and sent, the whole reason of each failure, and links to more. */
function AlertMenu({ alerts, timeZone }: Pick<AlertEntryProps, 'alerts' | 'timeZone'>) {
  const [alert] = alerts
  const { id, recipient, course_section: section } = alert
  const failures = alerts.flatMap(({ recipient: { name }, deliveries }) =>
    deliveries.filter(hasFailed).map((delivery) => ({ name, delivery })),
  )
  const moments = [
    ['Last seen closed', alert.last_closed_at],
    ['Seen open', alert.seen_open_at],
    ['First accepted by a provider', alert.accepted_at],
    ['Last checked', section.observed_at],
  ] as const
  return (
    <div className="alert-more">
      <RowMenu id={`alert-${id}`} label={`More about ${sectionName(section)}`}>
        <dl className="times tiny">
          {moments.map(
            ([name, at]) =>
              at && (
                <div key={name}>
                  <dt className="muted">{name}</dt>
                  <dd>{absoluteText(at, timeZone, true)}</dd>
                </div>
              ),
          )}
          {failures.map(({ name, delivery }) => (
            <div key={delivery.id}>
              <dt className="muted">
                {[`${channelNames[delivery.channel]} to ${name}`, attemptsText(delivery)].filter(Boolean).join(', ')}
              </dt>
              <dd>{errorText(delivery) || 'Failed'}</dd>
            </div>
          ))}
        </dl>
        <hr className="menu-line" />
        {alerts.length === 1 && (
          <>
            <a href={`?recipient_id=${recipient.id}`}>All alerts of this recipient</a>
            <a href={contactsHref(recipient.name)}>Recipient</a>
          </>
        )}
        <a href={`/admin/sections/${section.id}/`}>Section in Admin</a>
      </RowMenu>
    </div>
  )
}

interface PersonProps {
  alert: ClassAlert
  timeZone: string
  retrying: ReadonlySet<number>
  onRetry: (deliveryId: number) => void
}

function AlertPerson({ alert, timeZone, retrying, onRetry }: PersonProps) {
  const { id, name } = alert.recipient
  return (
    <li className="alert-person">
      <p className="alert-name">
        <a className="plain-link" href={`?recipient_id=${id}`} title={`All alerts of ${name}`}>
          <bdi>{name}</bdi>
        </a>
      </p>
      <ul>
        <AlertState alert={alert} timeZone={timeZone} />
        {failedFirst(byChannel(alert.deliveries), hasFailed).map((delivery) => (
          <DeliveryLine
            key={delivery.id}
            delivery={delivery}
            recipient={name}
            seenAt={alert.kind === 'reminder' ? delivery.created_at : alert.seen_open_at}
            timeZone={timeZone}
            isRetrying={retrying.has(delivery.id)}
            onRetry={() => onRetry(delivery.id)}
          />
        ))}
      </ul>
    </li>
  )
}

function People({ alerts, ...rest }: Omit<PersonProps, 'alert'> & { alerts: readonly ClassAlert[] }) {
  return (
    <ul>
      {alerts.map((alert) => (
        <AlertPerson key={alert.id} alert={alert} {...rest} />
      ))}
    </ul>
  )
}

/** How many of the folded people are named. */
const MAX_NAMES = 3

/** In Unicode's isolating characters, so that a name written from right to left does not turn the text around it. */
const isolated = (text: string): string => `\u2068${text}\u2069`

interface AlertEntryProps extends Omit<PersonProps, 'alert'> {
  alerts: readonly [ClassAlert, ...ClassAlert[]]
}

/** A seat that opened: in which section, who was alerted, and the steps of each message. */
export function AlertEntry({ alerts, ...rest }: AlertEntryProps) {
  const { timeZone } = rest
  const [alert] = alerts
  const [shown, folded] = foldedPeople(alerts)
  const { course_section: section, is_current: isCurrent, datetime_created: at } = alert
  const promptness = responseTimeText({ ...alert, deliveries: alerts.flatMap(({ deliveries }) => deliveries) })
  const { school, instruction_list: instruction, term } = section
  const isOne = instruction.length === 1
  const placed = (instructors: string): string =>
    [school.name, instructors, term.full_term_name]
      .filter((part) => part !== '')
      .map(isolated)
      .join(' · ')
  return (
    <li className="alert" data-row>
      <article className="alert-entry">
        <time className="alert-time muted" dateTime={at} title={absoluteText(at, timeZone, true)}>
          {clockText(at, timeZone)}
        </time>
        <h3 className="clip" title={sectionName(section)}>
          {sectionCode(section)} <span>{sectionTitle(section)}</span>
          {alert.kind === 'reminder' && <Badge>Reminder</Badge>}
        </h3>
        <p className="alert-where clip muted" title={placed(instructionText(instruction))}>
          {section.number !== '' && <span>{numberText(section)}</span>}
          {placed(isOne ? instructionText(instruction) : instruction.map(({ name }) => name).join('; '))}
        </p>
        <div className="row alert-seats">
          <SeatBar
            status={isCurrent ? section.status : 'unknown'}
            seats={seatsLeft(section)}
            capacity={section.capacity}
          />
          <span>
            {isCurrent && section.status === 'open' ? <LeadingFigure text={nowText(alert)} /> : nowText(alert)}
          </span>
          {promptness !== '' && <span className="muted tiny">{promptness}</span>}
        </div>
        <div className="alert-people">
          <People alerts={shown} {...rest} />
          {folded.length > 0 && (
            <details>
              <summary className="row tiny muted">
                <span className="strong">{counted(folded.length, 'more recipient')}</span>
                <span>
                  {folded.slice(0, MAX_NAMES).map(({ recipient }, place) => (
                    <span key={recipient.id}>
                      {place > 0 && ', '}
                      <bdi>{recipient.name}</bdi>
                    </span>
                  ))}
                  {folded.length > MAX_NAMES && '…'}
                </span>
              </summary>
              <People alerts={folded} {...rest} />
            </details>
          )}
        </div>
        <AlertMenu alerts={alerts} timeZone={timeZone} />
      </article>
    </li>
  )
}
