import { Field } from '../../../client/components/field.tsx'

interface CurrentPasswordProps {
  /** Whether the last password was refused. */
  isInvalid: boolean
  /** The id of the message that says why. */
  describedBy?: string
}

/**
 * The password field of a login form, with a link for people who forgot it: shown beside the label, reached by Tab
 * after the field.
 */
export function CurrentPassword({ isInvalid, describedBy }: CurrentPasswordProps) {
  return (
    <div className="current-password">
      <Field id="password" label="Password">
        <input
          className="input"
          id="password"
          name="password"
          type="password"
          autoComplete="current-password"
          required
          aria-invalid={isInvalid || undefined}
          aria-describedby={describedBy}
        />
      </Field>
      <a className="small" href="/accounts/password/reset/">
        Forgot your password?
      </a>
    </div>
  )
}
