import { expect } from 'vitest'
import { Desk } from './admin-desk.ts'
import { one, rows } from './rows.ts'
import { goodPassword, type Visitor } from './visitor.ts'

/** What a superuser is asked who logged in a while ago and does something that requires a recent login. */

/** The page that confirms their identity. */
export const confirmPath = '/accounts/reauthenticate/'

/** A superuser who confirmed their identity this many seconds ago. */
export async function deskWithLoginAge(seconds: number): Promise<Desk> {
  const desk = await Desk.open()
  await ageLogin(desk, seconds)
  return desk
}
/** Makes the login this many seconds older. */
export const ageLogin = (desk: Desk, seconds: number) =>
  rows('UPDATE session SET authenticated_at = authenticated_at - ? WHERE user_id = ?', seconds * 1000, desk.user.id)

/** Whether the user is one now. */
export const isSuperuser = async (id: number) =>
  (await one<{ is_superuser: number }>('SELECT is_superuser FROM user WHERE id = ?', id)).is_superuser === 1

/** Submits a form and returns the message before anything is confirmed, which is only the question. */
export async function asked(sending: Promise<{ status: number; location: string | null }>): Promise<string> {
  const { status, location } = await sending
  expect(status).toBe(303)
  expect(location).toContain(`${confirmPath}?next=%2Fadmin%2F`)
  return new URL(location ?? '', 'http://x').searchParams.get('next') ?? ''
}

/** Answers the question with the password, and with `fields`. */
export const confirm = (visitor: Visitor, next: string, fields: Record<string, string> = {}) =>
  visitor.submit(confirmPath, { next, password: goodPassword, ...fields })

/** A row's form as on its page, with these fields filled in. */
export async function changeForm(desk: Desk, path: string, fields: Record<string, string>) {
  const { html } = await desk.visitor.see(path)
  const was = /name="was" value="([^"]*)"/.exec(html)?.[1] ?? ''
  return { act: 'save', was, ...fields }
}
