import type { Fault } from '../pages/form-page.tsx'
import { passwordFaults } from '../password-rules.ts'

/** What is wrong with a new password that was typed twice. */
export function newPasswordFaults(
  { password1, password2 }: { password1: string; password2: string },
  owner: { username: string; email: string },
): Fault[] {
  const faults: Fault[] = passwordFaults(password1, owner).map((message) => ({ field: 'password1', message }))
  if (password1 !== password2)
    faults.push({ field: 'password2', message: 'You must type the same password each time.' })
  return faults
}
