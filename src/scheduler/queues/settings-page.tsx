import { Button, LinkButton } from '../../../client/components/button.tsx'
import { ErrorSummary } from '../../../client/components/error-summary.tsx'
import { describedBy, Field } from '../../../client/components/field.tsx'
import { PostForm } from '../../../client/components/post-form.tsx'
import { listAddress, ofQueue } from '../../../client/islands/scheduler/addresses.ts'
import { settingNames, settingRules } from '../../jobs/ledger/settings.ts'
import { capital } from '../../lib/text.ts'
import type { PageContext } from '../../web/contract.ts'
import { firstWrongField } from '../../web/refusal.ts'
import type { SettingsProps } from '../contract.ts'

/** "Maintenance settings" */
export const settingsTitle = (queue: string): string => `${capital(queue)} settings`

export function SettingsPage({ props, context }: { props: SettingsProps; context: PageContext }) {
  const { queue, settings, errors, was } = props
  return (
    <div className="narrow stack scheduler">
      <h1>{settingsTitle(queue)}</h1>
      <ErrorSummary errors={errors.map(({ field, message }) => ({ message, ...(field && { fieldId: field }) }))} />
      <PostForm context={context} action={ofQueue(queue, 'settings')} className="card card-body stack">
        <input type="hidden" name="was" value={was} />
        {settingNames.map((name) => {
          const error = errors.find(({ field }) => field === name)?.message ?? ''
          return (
            <Field key={name} id={name} label={settingRules[name].label} error={error}>
              <input
                id={name}
                name={name}
                className="input"
                inputMode="numeric"
                required
                defaultValue={settings[name]}
                autoFocus={firstWrongField(errors) === name}
                aria-invalid={error !== '' || undefined}
                aria-describedby={describedBy(name, '', error)}
              />
            </Field>
          )
        })}
        <p className="row">
          <Button kind="primary" type="submit">
            Save
          </Button>
          <LinkButton href={listAddress(queue, 'queued')}>Back to {queue}</LinkButton>
        </p>
      </PostForm>
    </div>
  )
}
