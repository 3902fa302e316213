import type { ReactNode } from 'react'
import { Badge } from '../../../client/components/badge.tsx'
import { Button } from '../../../client/components/button.tsx'
import { channelIcons } from '../../../client/components/channel-names.ts'
import { ErrorSummary, type SummaryError } from '../../../client/components/error-summary.tsx'
import { describedBy, Field, FieldNotes } from '../../../client/components/field.tsx'
import { Icon } from '../../../client/components/icon.tsx'
import { CsrfToken } from '../../../client/components/navbar.tsx'
import { PushOffer } from '../../../client/components/push-offer.tsx'
import { SeatBar } from '../../../client/components/seat-bar.tsx'
import { StatusBadge } from '../../../client/components/status-dot.tsx'
import { absoluteText } from '../../../client/components/time-text.ts'
import { seatsText, sectionNumbers } from '../../../client/islands/class-tracker/section-text.ts'
import type { PageContext } from '../../web/contract.ts'
import { textField } from '../../web/parse.ts'
import { fairTurnsRule } from '../alerts/fair-turns.ts'
import { nameOf } from '../courses/section-row.ts'
import type { OwnContact, OwnPageProps } from './contract.ts'
import { pauseDays } from './own-changes.ts'

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

/**
 * What is watched for a recipient, how they are reached, and how to change or stop it. Needs a script only for push.
 */
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

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="card">
      <div className="card-body stack">
        <h2>{title}</h2>
        {children}
      </div>
    </section>
  )
}

/** A form of this page. @param act the action that it posts, a key of `ownChanges` */
function ActForm({ act, context, children }: { act: string; context: PageContext; children: ReactNode }) {
  return (
    <form className="stack" method="post">
      <CsrfToken context={context} />
      <input type="hidden" name="act" value={act} />
      {children}
    </form>
  )
}

function Watched({ props: { sections, is_fair: isFair }, context }: { props: OwnPageProps; context: PageContext }) {
  if (sections.length === 0) return <p>Nothing is watched for you right now.</p>
  return (
    <Part title="Watched for you">
      <ul className="stack">
        {sections.map((section) => (
          <WatchedEntry key={section.id} section={section} context={context} />
        ))}
      </ul>
      {isFair && (
        <p className="muted">
          {fairTurnsRule} While your messages are paused or your quiet hours last, your turn goes to them; your place in
          line stays yours.
        </p>
      )}
    </Part>
  )
}

/** One section: what it is, its seats, where to register, and how to stop watching it. */
function WatchedEntry({ section, context }: { section: OwnPageProps['sections'][number]; context: PageContext }) {
  const { course, topic, status, observed_at: observedAt, school, link } = section
  const name = nameOf({ course_code: course.code, course_level: course.level, section_code: section.section })
  return (
    <li className="own-section">
      <div className="row">
        <h3>
          {course.code} {course.level} <bdi>{topic || course.title}</bdi>
        </h3>
        <StatusBadge status={status} />
      </div>
      <div className="seat-line small">
        <SeatBar status={status} seats={section.seats_available} capacity={section.capacity} />
        <span className={status === 'open' ? 'strong' : 'muted'}>{seatsText(section)}</span>
      </div>
      <p className="muted meta">
        {[sectionNumbers(section), school.name].filter(Boolean).join(' · ')}
        {observedAt !== null && <> · checked {absoluteText(observedAt, context.time_zone)}</>}
      </p>
      {link !== null && (
        <a className="meta" href={link} rel="noreferrer">
          View on school site
        </a>
      )}
      <details>
        <summary className="meta">
          Stop watching<span className="hidden-visually">{` ${name}`}</span>
        </summary>
        <ActForm act="unwatch" context={context}>
          <input type="hidden" name="section_id" value={section.id} />
          <p className="small">
            You will get no more messages about {name}. Only the person who set up your alerts can watch it again.
          </p>
          <div>
            <Button type="submit" kind="danger">
              Stop watching
            </Button>
          </div>
        </ActForm>
      </details>
    </li>
  )
}

/** A label before the address where the address alone is unclear. */
const kindNames: Readonly<Partial<Record<OwnContact['kind'], string>>> = {
  phone: 'Text: ',
  email: 'Email: ',
  push: 'Notifications: ',
}

function Contacts({ props, context, sent }: Pick<OwnPageAttributes, 'props' | 'context' | 'sent'>) {
  const filled = isSentBy('contacts', sent) ? sent : null
  const isSmsAtOnce = filled ? textField(filled, 'sms') === 'at_once' : props.is_sms_at_once
  const hasDevice = props.contacts.some(({ kind }) => kind === 'push')
  const hasPhone = props.contacts.some(({ kind }) => kind === 'phone')
  return (
    <Part title="How we reach you">
      <ActForm act="contacts" context={context}>
        <fieldset className="stack stack-small">
          <legend className="hidden-visually">Where messages go</legend>
          {props.contacts.length === 0 && <p>We have no way to reach you yet.</p>}
          {props.contacts.map((contact) => (
            <OwnContactRow
              key={contact.id}
              contact={contact}
              isUsed={filled ? filled.getAll('use').includes(String(contact.id)) : contact.is_enabled}
            />
          ))}
        </fieldset>
        {hasDevice && hasPhone && (
          <fieldset className="stack stack-small">
            <legend className="label">Texts</legend>
            <Choice type="radio" name="sms" value="after" isChosen={!isSmsAtOnce}>
              Only when I haven't seen the notification
            </Choice>
            <Choice type="radio" name="sms" value="at_once" isChosen={isSmsAtOnce}>
              Right away, with the notification
            </Choice>
          </fieldset>
        )}
        <Choice
          type="checkbox"
          name="is_reminded"
          value="on"
          isChosen={filled ? filled.has('is_reminded') : props.is_reminded}
        >
          Remind me while a seat stays open
        </Choice>
        <div>
          <Button type="submit">Save</Button>
        </div>
      </ActForm>
    </Part>
  )
}

function OwnContactRow({ contact, isUsed }: { contact: OwnContact; isUsed: boolean }) {
  const { id, kind, address, opted_out } = contact
  return (
    <div className="own-contact">
      <input type="hidden" name="contact" value={id} />
      <Choice type="checkbox" name="use" value={String(id)} isChosen={isUsed}>
        <span className="own-contact-address">
          <Icon name={channelIcons[kind]} size={16} />
          <span>
            <span className={kind === 'phone' ? undefined : 'hidden-visually'}>{kindNames[kind]}</span>
            {address}
          </span>
        </span>
      </Choice>
      {opted_out && <Badge tone="neutral">stopped</Badge>}
      {kind === 'push' && (
        <Button type="submit" kind="quiet" icon="trash" iconOnly name="remove" value={id}>
          {`Remove ${address}`}
        </Button>
      )}
    </div>
  )
}

interface ChoiceProps {
  type: 'radio' | 'checkbox'
  name: string
  value: string
  isChosen: boolean
  children: ReactNode
}

function Choice({ type, name, value, isChosen, children }: ChoiceProps) {
  return (
    <label className="check">
      <input type={type} name={name} value={value} defaultChecked={isChosen} />
      <span>{children}</span>
    </label>
  )
}

/** Time zones of the directory's schools; the recipient's own and the browser's come first. */
const commonZones = [
  'America/New_York',
  'America/Chicago',
  'America/Denver',
  'America/Phoenix',
  'America/Los_Angeles',
  'America/Anchorage',
  'Pacific/Honolulu',
  'America/Puerto_Rico',
  'UTC',
]

/** Whether the form was sent by the part of the page with this action. */
const isSentBy = (act: string, form: FormData | null) => form !== null && textField(form, 'act') === act

/** Without a script the refused page shows its top, so the error is there, too. */
const summaryOf = (message: string, sent: FormData | null): SummaryError =>
  isSentBy('quiet', sent) ? { message, fieldId: 'quiet-from' } : { message }

function QuietHours({ props, context, sent, fault }: Omit<OwnPageAttributes, 'token'>) {
  const { quiet_hours: hours } = props
  const filled = isSentBy('quiet', sent) ? sent : null
  const error = filled ? fault : ''
  const valueOf = (name: string, stored: string) => (filled ? textField(filled, name) : stored)
  const zones = [...new Set([...(hours ? [hours.time_zone] : []), context.time_zone, ...commonZones])]
  return (
    <Part title="Quiet hours">
      <p>Messages wait until quiet hours end, then arrive if the seat is still open.</p>
      <ActForm act="quiet" context={context}>
        <div className="quiet-times">
          {(['from', 'until'] as const).map((name) => (
            <Field key={name} id={`quiet-${name}`} label={name === 'from' ? 'From' : 'Until'}>
              <input
                className="input"
                type="time"
                id={`quiet-${name}`}
                name={name}
                aria-invalid={error !== '' || undefined}
                aria-describedby={describedBy('quiet', '', error)}
                defaultValue={valueOf(name, hours?.[name] ?? '')}
              />
            </Field>
          ))}
          <Field id="quiet-zone" label="Time zone">
            <select
              className="input"
              id="quiet-zone"
              name="time_zone"
              defaultValue={valueOf('time_zone', hours?.time_zone ?? context.time_zone)}
            >
              {zones.map((zone) => (
                <option key={zone} value={zone}>
                  {zone.replaceAll('_', ' ')}
                </option>
              ))}
            </select>
          </Field>
        </div>
        <FieldNotes id="quiet" help="" error={error} />
        {props.contacts.some(({ kind }) => kind === 'push') && (
          <>
            <input type="hidden" name="push" value="held" />
            <Choice
              type="checkbox"
              name="push"
              value="silent"
              isChosen={filled ? filled.getAll('push').includes('silent') : props.is_push_silent}
            >
              Show notifications anyway, without sound
            </Choice>
          </>
        )}
        <p className="muted small">Leave both times empty for no quiet hours.</p>
        <div>
          <Button type="submit">Save quiet hours</Button>
        </div>
      </ActForm>
    </Part>
  )
}

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
