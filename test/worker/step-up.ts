import { expect } from 'vitest'
import { Desk } from './admin-desk.ts'
import { one, rows } from './rows.ts'
import { goodPassword, type Visitor } from './visitor.ts'

/** What a superuser is asked who logged in a while ago and does something that only a recent login may do. */

/** Where who they are is confirmed. */
export const confirmPath = '/accounts/reauthenticate/'

/** A superuser who showed who they are so many seconds ago. */
export async function deskAfter(seconds: number): Promise<Desk> {
  const desk = await Desk.open()
  await grow(desk, seconds)
  return desk
}
/** Makes the login so many seconds older. */
export const grow = (desk: Desk, seconds: number) =>
  rows('UPDATE session SET authenticated_at = authenticated_at - ? WHERE user_id = ?', seconds * 1000, desk.user.id)

/** Whether the user is one now. */
export const isSuperuser = async (id: number) =>
  (await one<{ is_superuser: number }>('SELECT is_superuser FROM user WHERE id = ?', id)).is_superuser === 1

/** Sends a form and answers what was said before anything is confirmed: nothing but the question. */
export async function asked(sending: Promise<{ status: number; location: string | null }>): Promise<string> {
  const { status, location } = await sending
  expect(status).toBe(303)
  expect(location).toContain(`${confirmPath}?next=%2Fadmin%2F`)
  return new URL(location ?? '', 'http://x').searchParams.get('next') ?? ''
}

/** Answers the question with the password, and with `fields`. */
export const confirm = (visitor: Visitor, next: string, fields: Record<string, string> = {}) =>
  visitor.submit(confirmPath, { next, password: goodPassword, ...fields })

/** The form of a row as its page has it, with these fields typed. */
export async function changeForm(desk: Desk, path: string, fields: Record<string, string>) {
  const { html } = await desk.visitor.see(path)
  const was = /name="was" value="([^"]*)"/.exec(html)?.[1] ?? ''
  return { act: 'save', was, ...fields }
}
