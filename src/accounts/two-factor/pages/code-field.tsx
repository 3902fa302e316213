import { describedBy, Field } from '../../../../client/components/field.tsx'

/** Where a code is typed, or filled in by a password manager. Also takes recovery codes when `isLong`. */
export function CodeField({
  label,
  help,
  error,
  isLong,
}: {
  label: string
  help: string
  error: string
  isLong: boolean
}) {
  return (
    <Field id="code" label={label} help={help} error={error}>
      <input
        className="input numbers"
        id="code"
        name="code"
        inputMode="numeric"
        autoComplete="one-time-code"
        autoCapitalize="none"
        spellCheck={false}
        maxLength={isLong ? 20 : 12}
        required
        autoFocus
        aria-invalid={error !== '' || undefined}
        aria-describedby={describedBy('code', help, error)}
      />
    </Field>
  )
}
