import type { Delivery } from '../../../src/class-tracker/alerts/contract.ts'
import { Button, LinkButton } from '../../components/button.tsx'
import { channelIcons, channelNames } from '../../components/channel-names.ts'
import { Icon } from '../../components/icon.tsx'
import { absoluteText } from '../../components/time-text.ts'
import { answerStep, deliverySteps, hasReceipts, noReceipts, stepTimeText } from './delivery-steps.ts'
import { counted } from './section-text.ts'

/** The page on which the recipient's contacts can be changed. */
export const contactsHref = (recipient: string): string =>
  `/class_tracker/add_classes/?${new URLSearchParams({ q: recipient })}`

interface DeliveryLineProps {
  delivery: Delivery
  /** The recipient's name. */
  recipient: string
  /** What the steps' seconds are counted from (ISO 8601). */
  seenAt: string
  timeZone: string
  isRetrying: boolean
  onRetry: () => void
}

/** Whether it has ended without arriving. */
export const hasFailed = ({ state }: Delivery): boolean => state === 'failed' || state === 'expired'

/** One message: its address and how far it has come; if it failed, the reason and what helps. */
export function DeliveryLine({ delivery, recipient, seenAt, timeZone, isRetrying, onRetry }: DeliveryLineProps) {
  const { channel, state, last_error: error } = delivery
  return (
    <li className="delivery">
      <span className="delivery-to">
        <Icon name={channelIcons[channel]} size={16} />
        <span className="hidden-visually">{`${channelNames[channel]} to `}</span>
        <span className="clip">{delivery.address}</span>
      </span>
      <span className="delivery-how">
        <Steps delivery={delivery} seenAt={seenAt} timeZone={timeZone} />
        {error && state !== 'delivered' && state !== 'sent' && <span className="figure-failed">{error}</span>}
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

/** The last two completed steps and those still to come; the duration is shown at the last completed one. */
function Steps({ delivery, seenAt, timeZone }: Pick<DeliveryLineProps, 'delivery' | 'seenAt' | 'timeZone'>) {
  const moment = delivery.delivered_at ?? delivery.accepted_at ?? delivery.created_at
  const all = [...deliverySteps(delivery), ...answerStep(delivery)]
  const done = all.filter(({ state, label }) => state === 'done' && label !== 'queued').slice(-2)
  const steps = all.filter((step) => step.state !== 'done' || done.includes(step))
  const last = steps.findLast(({ state }) => state === 'done')
  const notes = [
    ...(delivery.attempts > 1 ? [counted(delivery.attempts, 'attempt')] : []),
    ...(delivery.is_repeated ? ['may have arrived twice'] : []),
  ]
  const unconfirmed = delivery.state === 'sent' && !hasReceipts(delivery) ? `, ${noReceipts}` : ''
  return (
    <>
      <ol className="steps" aria-label="Steps" title={`${absoluteText(moment, timeZone, true)}${unconfirmed}`}>
        {steps.map((step) => (
          <li
            key={step.label}
            className={`step step-${step.state}${step.state === 'failed' ? ' figure-failed' : ''}`}
            aria-current={step.state === 'now' ? 'step' : undefined}
          >
            {step.state === 'done' && <Icon name="check" size={12} />}
            {step.state === 'failed' && <Icon name="close" size={12} />}
            <span className="step-label">{step.label}</span>
            {step === last && stepTimeText(delivery, step.label, seenAt)}
            {step.state === 'todo' && <span className="hidden-visually"> (not yet)</span>}
          </li>
        ))}
      </ol>
      {notes.length > 0 && <span className="muted">{notes.join(' · ')}</span>}
    </>
  )
}
