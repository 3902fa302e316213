import { Button } from '../../../client/components/button.tsx'
import { ErrorSummary, type SummaryError } from '../../../client/components/error-summary.tsx'
import { PushOffer } from '../../../client/components/push-offer.tsx'
import { absoluteText } from '../../../client/components/time-text.ts'
import type { PageContext } from '../../web/contract.ts'
import { Contacts } from './contacts.tsx'
import type { OwnContact, OwnPageProps } from './contract.ts'
import { pauseDays } from './own-changes.ts'
import { ActForm, Part, sentBy } from './part.tsx'
import { QuietHours } from './quiet-hours.tsx'
import { Watched } from './watched.tsx'

interface OwnPageAttributes {
  props: OwnPageProps
  context: PageContext
  /** The token in the page's address. */
  token: string
  /** The form to show as it was filled in, because it was refused. */
  sent: FormData | null
  /** Why it was refused; '' if it was not. */
  fault: string
}

/** What is watched for a recipient, how they are reached, and how to change it. Needs a script only for push. */
export function OwnPage({ props, context, token, sent, fault }: OwnPageAttributes) {
  const { name, contacts, paused_until: pausedUntil, push_key: pushKey } = props
  const isStopped = contacts.length > 0 && contacts.every(({ opted_out }) => opted_out)
  return (
    <div className="narrow stack stack-large">
      <div className="stack stack-small">
        <h1>Class alerts for {name}</h1>
        <p className="muted">Keep this link private: anyone who has it can change these settings.</p>
      </div>
      <ErrorSummary heading="There is a problem" errors={fault === '' ? [] : [summaryOf(fault, sent)]} />
      {isStopped && <p className="message message-warning">You stopped all messages.</p>}
      {pausedUntil !== null && (
        <p className="message message-warning">
          Messages are paused until {absoluteText(pausedUntil, context.time_zone)}.
        </p>
      )}
      <Watched props={props} context={context} />
      {pushKey !== null && (
        <Part title="Notifications">
          <p>Notifications are free and faster than texts. No app to install, no phone number needed.</p>
          <PushOffer pushKey={pushKey} by={{ name: 'token', value: token }} context={context} />
          <noscript>
            <p className="muted">Notifications need JavaScript, which is turned off in this browser.</p>
          </noscript>
        </Part>
      )}
      <Contacts props={props} context={context} sent={sent} />
      <QuietHours props={props} context={context} sent={sent} fault={fault} />
      <Pause isPaused={pausedUntil !== null} context={context} />
      <Stop contacts={contacts} isStopped={isStopped} context={context} />
    </div>
  )
}

/** Without a script the refused page shows its top, so the error is there, too. */
const summaryOf = (message: string, sent: FormData | null): SummaryError =>
  sentBy('quiet', sent) ? { message, fieldId: 'quiet-from' } : { message }

function Pause({ isPaused, context }: { isPaused: boolean; context: PageContext }) {
  return (
    <Part title="Pause">
      {isPaused ? (
        <ActForm act="resume" context={context}>
          <p>We'll message you right away about seats that opened during the pause and are still open.</p>
          <div>
            <Button type="submit">Resume now</Button>
          </div>
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

interface StopProps {
  contacts: readonly OwnContact[]
  isStopped: boolean
  context: PageContext
}

function Stop({ contacts, isStopped, context }: StopProps) {
  const canStart = contacts.some(({ opted_out, kind }) => opted_out && kind !== 'phone')
  const hasStoppedPhone = contacts.some(({ opted_out, kind }) => opted_out && kind === 'phone')
  return (
    <Part title="Stop">
      {hasStoppedPhone && <p>To get texts again, text START to the number they came from.</p>}
      {canStart && (
        <ActForm act="start" context={context}>
          <div>
            <Button type="submit">Send me messages again</Button>
          </div>
        </ActForm>
      )}
      {!isStopped && (
        <ActForm act="stop" context={context}>
          <div>
            <Button type="submit" kind="danger">
              Stop all messages
            </Button>
          </div>
        </ActForm>
      )}
    </Part>
  )
}
