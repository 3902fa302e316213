import { Field } from '../../../client/components/field.tsx'

interface CredentialsProps {
  /** The name of the first field, and its id. */
  name: string
  label: string
  /** What was typed into it in the last attempt. */
  typed: string
  isRefused: boolean
  /** The id of the message that says why. */
  describedBy?: string
}

/** The link for people who forgot their password is shown beside its label and reached by Tab after the field. */
export function Credentials({ name, label, typed, isRefused, describedBy }: CredentialsProps) {
  const refused = { 'aria-invalid': isRefused || undefined, 'aria-describedby': describedBy }
  return (
    <>
      <Field id={name} label={label}>
        <input
          className="input"
          id={name}
          name={name}
          defaultValue={typed}
          autoComplete="username"
          autoCapitalize="none"
          spellCheck={false}
          required
          {...refused}
        />
      </Field>
      <div className="current-password">
        <Field id="password" label="Password">
          <input
            className="input"
            id="password"
            name="password"
            type="password"
            autoComplete="current-password"
            required
            {...refused}
          />
        </Field>
        <a className="small" href="/accounts/password/reset/">
          Forgot your password?
        </a>
      </div>
    </>
  )
}
