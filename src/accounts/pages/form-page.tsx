import type { ReactNode } from 'react'
import { Button } from '../../../client/components/button.tsx'
import { ErrorSummary } from '../../../client/components/error-summary.tsx'
import { describedBy, Field } from '../../../client/components/field.tsx'
import { PostForm } from '../../../client/components/post-form.tsx'
import type { PageContext } from '../../web/contract.ts'
import { firstWrongField, type FormError } from '../../web/refusal.ts'
import { loginPath, accountPath } from '../paths.ts'

export interface PageLink {
  href: string
  label: string
}

export interface FormPageProps {
  context: PageContext
  title: string
  /** One or two sentences above the form. */
  lead?: ReactNode
  action: string
  submit: string
  /** Whether the form does something that cannot be undone. */
  isDanger?: boolean
  errors?: readonly FormError[]
  next?: string
  children?: ReactNode
  links?: readonly PageLink[]
}

/** An account form: one card with one primary button, and everything else below it. */
export function FormPage({
  context,
  title,
  lead,
  action,
  submit,
  isDanger = false,
  errors = [],
  next = '',
  children,
  links = [],
}: FormPageProps) {
  return (
    <div className="narrow stack single">
      <h1>{title}</h1>
      <FormErrorSummary errors={errors} />
      {lead === undefined ? null : <p className="muted">{lead}</p>}
      <PostForm context={context} className="card card-body stack" action={action}>
        {next === '' ? null : <input type="hidden" name="next" value={next} />}
        {children}
        <Button kind={isDanger ? 'danger' : 'primary'} type="submit" large wide>
          {submit}
        </Button>
      </PostForm>
      <Links links={links} />
    </div>
  )
}

export function FormErrorSummary({ errors }: { errors: readonly FormError[] }) {
  return (
    <ErrorSummary
      errors={errors.map(({ field, message }) => (field === undefined ? { message } : { message, fieldId: field }))}
    />
  )
}

export const logIn = { href: loginPath, label: 'Log in' }
export const yourAccount = { href: accountPath, label: 'Your account' }

export function Links({ links }: { links: readonly PageLink[] }) {
  if (links.length === 0) return null
  return (
    <ul className="actions small">
      {links.map(({ href, label }) => (
        <li key={href}>
          <a href={href}>{label}</a>
        </li>
      ))}
    </ul>
  )
}

interface TextInputProps {
  /** Also its id. */
  name: string
  label: string
  type?: 'text' | 'email' | 'password'
  autoComplete: string
  value?: string
  help?: string
  errors?: readonly FormError[]
  maxLength?: number
  autoCapitalize?: 'none' | 'characters'
  /** Whether it is what the page is for; default: whether it is the first that was wrong. */
  autoFocus?: boolean
}

export function TextInput({
  name,
  label,
  type = 'text',
  autoComplete,
  value,
  help = '',
  errors = [],
  maxLength,
  autoCapitalize = 'none',
  autoFocus = firstWrongField(errors) === name,
}: TextInputProps) {
  const error = errors.flatMap(({ field, message }) => (field === name ? [message] : [])).join(' ')
  return (
    <Field id={name} label={label} help={help} error={error}>
      <input
        className="input"
        id={name}
        name={name}
        type={type}
        autoComplete={autoComplete}
        defaultValue={value}
        maxLength={maxLength}
        required
        autoCapitalize={autoCapitalize}
        spellCheck={false}
        autoFocus={autoFocus}
        aria-invalid={error !== '' || undefined}
        aria-describedby={describedBy(name, help, error)}
      />
    </Field>
  )
}

interface NewPasswordProps {
  errors: readonly FormError[]
  /** Tells a password manager which account it belongs to. */
  username?: string
  /** For a new account, which has no password yet. */
  isFirst?: boolean
}

export function NewPassword({ errors, username, isFirst = false }: NewPasswordProps) {
  const label = isFirst ? 'Password' : 'New password'
  return (
    <>
      {username === undefined ? null : (
        <input type="text" name="username" autoComplete="username" defaultValue={username} hidden readOnly />
      )}
      <TextInput
        name="password1"
        label={label}
        type="password"
        autoComplete="new-password"
        help="10 to 256 characters. Avoid passwords that many people use."
        errors={errors}
      />
      <TextInput
        name="password2"
        label={`${label} again`}
        type="password"
        autoComplete="new-password"
        errors={errors}
      />
    </>
  )
}
