import { describedBy, Field, FieldNotes } from '../../../client/components/field.tsx'
import { textField } from '../../web/parse.ts'
import { ActForm, Choice, type OwnPageView, Part, sentBy } from './part.tsx'

/** The hours in which messages wait. */
export function QuietHours({ props, context, sent, error: refusal }: OwnPageView) {
  const { quiet_hours: hours } = props
  const filled = sentBy('quiet', sent)
  const error = filled ? refusal : ''
  const valueOf = (name: string, stored: string) => (filled ? textField(filled, name) : stored)
  const zones = [...new Set([...(hours ? [hours.time_zone] : []), context.time_zone, ...commonZones])]
  return (
    <Part id="quiet" title="Quiet hours">
      <p>Messages wait until quiet hours end, then arrive if the seat is still open.</p>
      <ActForm act="quiet" context={context} button="Save quiet hours">
        <div className="quiet-times">
          {(['from', 'until'] as const).map((name) => (
            <Field key={name} id={`quiet-${name}`} label={name === 'from' ? 'From' : 'Until'}>
              <input
                className="input"
                type="time"
                id={`quiet-${name}`}
                name={name}
                autoFocus={error !== '' && name === 'from'}
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
                  {zoneText(zone)}
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
      </ActForm>
    </Part>
  )
}

/** What students call the time zones of the directory's schools. */
const names: Readonly<Record<string, string>> = {
  'America/New_York': 'Eastern time',
  'America/Chicago': 'Central time',
  'America/Denver': 'Mountain time',
  'America/Phoenix': 'Arizona time',
  'America/Los_Angeles': 'Pacific time',
  'America/Anchorage': 'Alaska time',
  'Pacific/Honolulu': 'Hawaii time',
  'America/Puerto_Rico': 'Atlantic time',
}

/** What is offered; the recipient's own zone and the browser's come first. */
const commonZones: readonly string[] = [...Object.keys(names), 'UTC']

/** "Central time (Chicago)", "Berlin (Europe)", "UTC". */
export function zoneText(zone: string): string {
  const [region = '', ...places] = zone.replaceAll('_', ' ').split('/')
  const city = places.at(-1)
  if (city === undefined) return region
  const name = names[zone]
  return name === undefined ? `${city} (${region})` : `${name} (${city})`
}
