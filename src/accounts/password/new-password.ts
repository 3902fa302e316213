import { textField } from '../../web/parse.ts'
import type { Fault } from '../pages/form-page.tsx'
import { passwordFaults } from '../password-rules.ts'

interface Owner {
  username: string
  email: string
}

/** The new password of a form that asks for it twice, and what is wrong with it. */
export function postedPassword(form: FormData, owner: Owner): { password: string; faults: Fault[] } {
  const [password1, password2] = [textField(form, 'password1'), textField(form, 'password2')]
  return { password: password1, faults: newPasswordFaults({ password1, password2 }, owner) }
}

/** What is wrong with a new password that was typed twice. */
export function newPasswordFaults(
  { password1, password2 }: { password1: string; password2: string },
  owner: Owner,
): Fault[] {
  const faults: Fault[] = passwordFaults(password1, owner).map((message) => ({ field: 'password1', message }))
  if (password1 !== password2)
    faults.push({ field: 'password2', message: 'You must type the same password each time.' })
  return faults
}
