import { textField } from '../../web/parse.ts'
import type { Fault } from '../pages/form-page.tsx'
import { passwordFaults } from '../password-rules.ts'

/** The new password of a form that asks for it twice, and what is wrong with it. */
export function postedPassword(
  form: FormData,
  owner: { username: string; email: string },
): { password: string; faults: Fault[] } {
  const password = textField(form, 'password1')
  const faults: Fault[] = passwordFaults(password, owner).map((message) => ({ field: 'password1', message }))
  if (password !== textField(form, 'password2'))
    faults.push({ field: 'password2', message: 'You must type the same password each time.' })
  return { password, faults }
}
