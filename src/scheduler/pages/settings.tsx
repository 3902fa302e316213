import { listAddress, ofQueue } from '../../../client/islands/scheduler/addresses.ts'
import { Button, LinkButton } from '../../../client/components/button.tsx'
import { ErrorSummary } from '../../../client/components/error-summary.tsx'
import { Field } from '../../../client/components/field.tsx'
import { PostForm } from '../../../client/components/post-form.tsx'
import type { PageContext } from '../../web/contract.ts'
import type { SettingsProps } from '../contract.ts'

const fields = [
  { name: 'ahead', label: 'Prefetch' },
  { name: 'keep_days', label: 'Days to keep ended jobs' },
  { name: 'keep_rows', label: 'Maximum jobs kept' },
] as const

/** "Maintenance settings" */
export const settingsTitle = (queue: string): string => `${queue.charAt(0).toUpperCase()}${queue.slice(1)} settings`

export function SettingsPage({ props, context }: { props: SettingsProps; context: PageContext }) {
  const { queue, settings, errors } = props
  return (
    <div className="narrow stack scheduler">
      <h1>{settingsTitle(queue)}</h1>
      {errors.length > 0 && <ErrorSummary heading="Error:" errors={errors} />}
      <PostForm context={context} action={ofQueue(queue, 'settings')} className="card card-body stack">
        {fields.map(({ name, label }) => (
          <Field key={name} id={name} label={label}>
            <input id={name} name={name} className="input" inputMode="numeric" required defaultValue={settings[name]} />
          </Field>
        ))}
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
