import type { Delivery } from '../../../src/class-tracker/alerts/contract.ts'
import { Button, LinkButton } from '../../components/button.tsx'
import { channelIcons, channelNames } from '../../components/channel-names.ts'
import { Icon } from '../../components/icon.tsx'
import { absoluteText } from '../../components/time-text.ts'
import { counted } from '../../components/count-text.ts'
import { answerStep, deliverySteps, hasReceipts, noReceipts, stepTimeText } from './delivery-steps.ts'

/** The page on which the recipient's contacts can be changed. */
export const contactsHref = (recipient: string): string =>
  `/class_tracker/add_classes/?${new URLSearchParams({ q: recipient })}`

interface DeliveryLineProps {
  delivery: Delivery
  recipient: string
  /** What the steps' seconds are counted from (ISO 8601). */
  seenAt: string
  timeZone: string
  isRetrying: boolean
  onRetry: () => void
}

/** Whether it has ended without arriving. */
export const hasFailed = ({ state }: Delivery): boolean => state === 'failed' || state === 'expired'

/** The last error of a message that has not arrived, as a sentence; '' if there is none. */
export function errorText({ state, last_error: error }: Delivery): string {
  if (error === null || ['delivered', 'sent', 'not_needed'].includes(state)) return ''
  return `${error.slice(0, 1).toUpperCase()}${error.slice(1)}`
}

/** "2 attempts", or that it may have arrived twice; '' after the first attempt. */
export function attemptsText({ attempts, is_repeated: isRepeated }: Delivery): string {
  if (isRepeated) return 'may have arrived twice'
  return attempts > 1 ? counted(attempts, 'attempt') : ''
}

/** One message: its address and how far it has come; if it failed, the reason and what helps. */
export function DeliveryLine({ delivery, recipient, seenAt, timeZone, isRetrying, onRetry }: DeliveryLineProps) {
  const { channel } = delivery
  const error = errorText(delivery)
  return (
    <li className={hasFailed(delivery) ? 'delivery delivery-failed' : 'delivery'}>
      <span className="delivery-to">
        <Icon name={channelIcons[channel]} size={16} />
        <span className="hidden-visually">{`${channelNames[channel]} to `}</span>
        <span className="clip" title={delivery.address}>
          {shownAddress(delivery)}
        </span>
      </span>
      <span className="row delivery-how">
        <Steps delivery={delivery} seenAt={seenAt} timeZone={timeZone} />
        {error !== '' && <span className="figure-failed delivery-why">{error}</span>}
        {hasFailed(delivery) &&
          (delivery.is_undeliverable ? (
            <LinkButton href={contactsHref(recipient)}>Edit contact</LinkButton>
          ) : (
            <Button busy={isRetrying} onClick={onRetry}>
              Retry
            </Button>
          ))}
      </span>
    </li>
  )
}

/** Without "Discord", which the icon beside it says. */
const shownAddress = ({ channel, address }: Pick<Delivery, 'channel' | 'address'>): string =>
  channel === 'discord' ? address.replace(/^Discord w/, 'W') : address

/** The last step it reached and, unless it failed, the one before it; all steps are in the tooltip. */
function Steps({ delivery, seenAt, timeZone }: Pick<DeliveryLineProps, 'delivery' | 'seenAt' | 'timeZone'>) {
  const moment = delivery.delivered_at ?? delivery.accepted_at ?? delivery.created_at
  const steps = [...deliverySteps(delivery), ...answerStep(delivery)]
  const last = steps.findLast(({ state }) => state !== 'todo')
  if (last === undefined) return null
  const place = steps.indexOf(last)
  const isFailed = last.state === 'failed'
  const before = isFailed ? undefined : steps[place - 1]
  const next = steps[place + 1]
  const timed = (step: string): string => [step, stepTimeText(delivery, step, seenAt)].filter(Boolean).join(' ')
  const chain = steps.map((step) => (step.state === 'todo' ? `not yet ${step.label}` : timed(step.label)))
  const unconfirmed = delivery.state === 'sent' && !hasReceipts(delivery) ? `, ${noReceipts}` : ''
  const note = attemptsText(delivery)
  return (
    <>
      {before && (
        <span className="step step-check">
          <span className="step-label">{before.label}</span>
          {stepTimeText(delivery, before.label, seenAt)}
        </span>
      )}
      <span
        className={`step step-${next ? 'on' : last.state}${last.state === 'done' && !next ? ' step-check' : ''}`}
        title={`${chain.join(' → ')}, ${[absoluteText(moment, timeZone, true), note].filter(Boolean).join(', ')}${unconfirmed}`}
      >
        {last.state === 'done' && next && <Icon name="more" size={12} />}
        {isFailed && <Icon name="close" size={12} />}
        <span className="step-label">{last.label}</span>
        {stepTimeText(delivery, last.label, seenAt)}
        {next && <span className="hidden-visually">, not yet {next.label}</span>}
      </span>
      {note !== '' && !isFailed && errorText(delivery) === '' && <span className="muted delivery-why">{note}</span>}
    </>
  )
}
