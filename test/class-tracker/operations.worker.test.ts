import { env } from 'cloudflare:workers'
import { expect, test } from 'vitest'
import { dismissSourceNotice } from '../../src/class-tracker/courses/tracker-problems.ts'
import { retryDelivery } from '../../src/class-tracker/deliveries/retry-delivery.ts'
import { setStatus } from '../../src/class-tracker/polling/set-status.ts'
import { removeContact, removeRecipient } from '../../src/class-tracker/recipients/remove-recipient.ts'
import { saveRecipient } from '../../src/class-tracker/recipients/save-recipient.ts'
import {
  fetchNewCourseSections,
  refreshAvailableTerms,
  refreshSemesterData,
} from '../../src/class-tracker/refresh/refresh-calls.ts'
import { addWatchedSection } from '../../src/class-tracker/watches/add-watched-section.ts'
import { removeWatchedSection } from '../../src/class-tracker/watches/remove-watched-section.ts'
import { trackerStaff } from '../worker/tracker-staff.ts'
import { watchedDatabase } from '../worker/watched-database.ts'

const visitor = { ...trackerStaff, role: 'visitor' } as const
const DB = watchedDatabase({ before: () => expect.unreachable('The database was asked.') })
const scope = { recipientId: 1, sectionId: 1 }
const chosen = { schoolId: 0, termId: 1, subjectId: 0 }

test.each<[string, () => Promise<unknown>]>([
  [
    'save a recipient',
    () => saveRecipient({ ...env, DB }, visitor, { recipientId: 0, posted: new FormData(), csrfToken: '' }, 0),
  ],
  ['remove a recipient', () => removeRecipient(DB, visitor, 1, 0)],
  ['remove a contact', () => removeContact(DB, visitor, 1, 0)],
  ['watch a section', () => addWatchedSection(DB, visitor, scope, 0)],
  ['stop watching a section', () => removeWatchedSection(DB, visitor, scope, 0)],
  ['dismiss a notice', () => dismissSourceNotice(DB, visitor, 1, 0)],
  ['retry a message', () => retryDelivery({ ...env, DB }, visitor, 1, 0)],
  ['set a status', () => setStatus({ ...env, DB }, visitor, [1], { status: 'open', seats_available: 1 }, 0)],
  ['refresh terms', () => refreshAvailableTerms({ ...env, DB }, visitor)],
  ['refresh subjects', () => refreshSemesterData({ ...env, DB }, visitor, chosen)],
  ['fetch sections', () => fetchNewCourseSections({ ...env, DB }, visitor, chosen)],
])('no one but a superuser may %s', async (_, act) => {
  await expect(act()).rejects.toMatchObject({ status: 403 })
})
