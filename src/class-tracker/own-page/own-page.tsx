import { Button } from '../../../client/components/button.tsx'
import { ErrorSummary, type SummaryError } from '../../../client/components/error-summary.tsx'
import { PushOffer } from '../../../client/components/push-offer.tsx'
import { absoluteText } from '../../../client/components/time-text.ts'
import { Contacts } from './contacts.tsx'
import type { OwnPageProps } from './contract.ts'
import { pauseDays } from './own-changes.ts'
import { ActForm, type OwnPageView, Part, sentBy } from './part.tsx'
import { QuietHours } from './quiet-hours.tsx'
import { Watched } from './watched.tsx'

interface OwnPageAttributes {
  /** The token in the page's address. */
  token: string
  view: OwnPageView
}

/**
 * What is watched for a recipient, how they are reached, and how to change it. It needs a script only for push and to
 * keep ages up to date.
 */
export function OwnPage({ token, view }: OwnPageAttributes) {
  const { props, context, sent, error } = view
  const { name, paused_until: pausedUntil, push_key: pushKey } = props
  return (
    <div className="narrow stack stack-large">
      <div className="stack stack-small">
        <h1>Class alerts for {name}</h1>
        <p className="muted">Keep this link private: anyone who has it can change these settings.</p>
      </div>
      <ErrorSummary errors={error === '' ? [] : [summaryOf(error, sent)]} />
      {isStopped(props) && <p className="message message-warning">All messages are stopped.</p>}
      {!props.can_be_reached && props.contacts.length > 0 && !isStopped(props) && (
        <p className="message message-warning">
          No message can reach you: every way is off, stopped or not working. Turn one on below, or ask the person who
          set up your alerts.
        </p>
      )}
      {pausedUntil !== null && (
        <p className="message message-warning">
          Messages are paused until {absoluteText(pausedUntil, context.time_zone)}.
        </p>
      )}
      <Watched {...view} />
      {pushKey !== null && (
        <Part title="Notifications">
          <p>Notifications are free and faster than texts. No app to install, no phone number needed.</p>
          <PushOffer pushKey={pushKey} by={{ name: 'token', value: token }} context={context} />
          <noscript>
            <p className="muted">Notifications need JavaScript, which is turned off in this browser.</p>
          </noscript>
        </Part>
      )}
      <Contacts {...view} />
      <QuietHours {...view} />
      <Pause {...view} />
      <Stop {...view} />
    </div>
  )
}

const isStopped = ({ contacts }: OwnPageProps): boolean =>
  contacts.length > 0 && contacts.every(({ opted_out }) => opted_out)

/** Without a script the refused page shows its top, so the error is there, too. */
const summaryOf = (message: string, sent: FormData | null): SummaryError =>
  sentBy('quiet', sent) ? { message, fieldId: 'quiet-from' } : { message }

function Pause({ props, context }: OwnPageView) {
  return (
    <Part id="pause" title="Pause">
      {props.paused_until !== null ? (
        <ActForm act="resume" context={context} button="Resume now">
          <p>We’ll message you right away about seats that opened during the pause and are still open.</p>
        </ActForm>
      ) : (
        <ActForm act="pause" context={context}>
          <div className="row">
            {pauseDays.map((days) => (
              <Button key={days} type="submit" name="days" value={days}>
                For {days === 1 ? 'a day' : `${days} days`}
              </Button>
            ))}
          </div>
        </ActForm>
      )}
    </Part>
  )
}

function Stop({ props, context }: OwnPageView) {
  const { contacts } = props
  const startable = contacts.filter(({ can_start }) => can_start)
  const unsubscribed = contacts.filter(({ opted_out, can_start, kind }) => opted_out && !can_start && kind === 'email')
  const hasStoppedPhone = contacts.some(({ opted_out, kind }) => opted_out && kind === 'phone')
  return (
    <Part id="stop" title="Stop">
      {hasStoppedPhone && <p>To get texts again, text START to the number they came from.</p>}
      {unsubscribed.map(({ id, address }) => (
        <p key={id}>
          Messages to {address} were stopped from one of its own emails, or one was reported as spam. To get them there
          again, open the “Unsubscribe” link in one of those emails.
        </p>
      ))}
      {startable.length > 0 && (
        <ActForm act="start" context={context} button="Send me messages again">
          <p>{`Messages to ${startable.map(({ address }) => address).join(', ')} are stopped.`}</p>
        </ActForm>
      )}
      {!isStopped(props) && <ActForm act="stop" context={context} button="Stop all messages" kind="danger" />}
    </Part>
  )
}
