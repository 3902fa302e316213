import { textField } from '../../web/parse.ts'
import { passwordErrors } from '../password-rules.ts'
import type { FormError } from '../../web/form-error.ts'

/** The new password of a form that asks for it twice, and what is wrong with it. */
export function postedPassword(
  form: FormData,
  owner: { username: string; email: string },
): { password: string; errors: FormError[] } {
  const password = textField(form, 'password1')
  const errors: FormError[] = passwordErrors(password, owner).map((message) => ({ field: 'password1', message }))
  if (password !== textField(form, 'password2'))
    errors.push({ field: 'password2', message: 'You must type the same password each time.' })
  return { password, errors }
}
