import { Field } from '../../../client/components/field.tsx'
import { resetPath } from '../paths.ts'

interface CredentialsProps {
  /** The name of the first field, and its id. */
  name: string
  label: string
  /** What was typed into it in the last attempt. */
  typed: string
  /** Whether the last attempt was refused; the element with the id `refused` says why. */
  isRefused: boolean
}

/** The link for people who forgot their password is shown beside its label and reached by Tab after the field. */
export function Credentials({ name, label, typed, isRefused }: CredentialsProps) {
  const refused = isRefused ? { 'aria-invalid': true, 'aria-describedby': 'refused' } : {}
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
          autoFocus={isRefused}
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
        <a className="small" href={resetPath}>
          Forgot your password?
        </a>
      </div>
    </>
  )
}
