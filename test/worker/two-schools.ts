import { expect } from 'vitest'
import type { ClassAlert } from '../../src/class-tracker/alerts/contract.ts'
import { pollSource } from '../../src/class-tracker/polling/poll-source.ts'
import { loadSubject, type LoadedSubject, type Waiting } from './loaded-subject.ts'
import { rows } from './rows.ts'
import { addUser, Visitor } from './visitor.ts'
import { runJob, world } from './world.ts'

export interface TwoSchools {
  harbor: LoadedSubject
  northfield: LoadedSubject
  /** Logged in as staff, with a page's token. */
  staff: Visitor
}

/** Two schools whose sections of one subject are loaded, and a staff member. Requests have short timeouts. */
export async function learnTwoSchools(): Promise<TwoSchools> {
  await world.clearFaults()
  for (const name of ['school_timeout_ms', 'provider_timeout_ms']) {
    await rows("INSERT OR REPLACE INTO setting (name, value, changed_at) VALUES (?, '700', 0)", name)
  }
  const staff = await Visitor.loggedInAs(await addUser({ isSuperuser: true }))
  await staff.see('/class_tracker/class_alerts/')
  return {
    harbor: await loadSubject('harbor', 'Harbor State University', 'CSCI'),
    northfield: await loadSubject('northfield', 'Northfield Technical University', 'CSCI'),
    staff,
  }
}

/** Clears all faults. */
export async function allIsWell(): Promise<void> {
  await world.clearFaults()
  await rows('UPDATE source SET failures = 0, paused_until = NULL')
}

export const comeRound = () => rows('UPDATE section_group SET asked_at = 0')

/** A round of the source now, however recent the last one was. */
export async function poll({ source_id }: LoadedSubject): Promise<void> {
  await comeRound()
  expect(await runJob(pollSource, { source_id })).toMatchObject({ state: 'finished' })
}

export const open = (waiting: Waiting) => world.set(waiting.section, { status: 'open' })
export const close = (waiting: Waiting) => world.set(waiting.section, { status: 'closed' })

/** The alerts of a recipient as staff see them. */
export async function alertsOf(staff: Visitor, recipient: number): Promise<ClassAlert[]> {
  const page = await staff.see<{ class_alerts: ClassAlert[] }>(`/class_tracker/class_alerts/?recipient_id=${recipient}`)
  return page.data.props.class_alerts
}

/** Moves the last alert back, so that the next one need not wait. */
export const forgetLastAlert = (recipient: number) =>
  rows('UPDATE watch SET last_alert_at = last_alert_at - 600001 WHERE recipient_id = ?', recipient)
