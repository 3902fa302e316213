import { env } from 'cloudflare:workers'
import { expect, test } from 'vitest'
import { readTogether, write } from '../../src/db/query.ts'
import { accepted, failed } from '../../src/class-tracker/deliveries/delivery-rules.ts'
import { optOut } from '../../src/class-tracker/deliveries/opt-out.ts'
import { recordMailEvent } from '../../src/class-tracker/deliveries/record-mail-event.ts'
import { recordSmsReports } from '../../src/class-tracker/deliveries/record-sms-report.ts'
import { beginTries, claimDeliveries } from '../../src/class-tracker/deliveries/claim-delivery.ts'
import { releaseUnpushed, settleDeliveries } from '../../src/class-tracker/deliveries/settle-delivery.ts'
import { sendDelivery } from '../../src/class-tracker/deliveries/send-delivery.ts'
import { findSourceNotices } from '../../src/class-tracker/courses/tracker-problems.ts'
import { findUnreadSources } from '../../src/class-tracker/courses/unread-sections.ts'
import { recordObservations } from '../../src/class-tracker/polling/record-observations.ts'
import { notifyStaff, secondLookOff } from '../../src/class-tracker/polling/notify-staff.ts'
import type { KnownSection } from '../../src/class-tracker/polling/openings.ts'
import { schedulePolls } from '../../src/class-tracker/polling/schedule-polls.ts'
import { resetGroupFailures } from '../../src/class-tracker/polling/source-health.ts'
import { readWatchedGroups } from '../../src/class-tracker/polling/watched-groups.ts'
import { schoolTermsOf } from '../../src/class-tracker/refresh/school-terms.ts'
import { archiveWatches } from '../../src/class-tracker/watches/archive-watches.ts'
import { sweepAlerts } from '../../src/class-tracker/deliveries/sweep-alerts.ts'
import { deletables } from '../../src/class-tracker/retention/deletable.ts'
import { deleteOld } from '../../src/class-tracker/retention/delete-old-alerts.ts'
import { addWatchedSection } from '../../src/class-tracker/watches/add-watched-section.ts'
import { removeWatchedSection } from '../../src/class-tracker/watches/remove-watched-section.ts'
import { makeGroup, makeRecipient, makeSection, readOf } from '../worker/catalog.ts'
import { runContext, unheard } from '../worker/job-context.ts'
import { rows } from '../worker/rows.ts'
import { trackerStaff } from '../worker/tracker-staff.ts'

/** Every table that grows without limit, or with the number of people and sections. */
const large =
  'section|watch|class_alert|delivery|delivery_alert|opening|seat_change|contact|recipient|course|section_group|user|email_address'

const statements = new Set<string>()
const spied: Pick<D1Database, 'prepare' | 'batch'> = {
  prepare: (sql) => {
    statements.add(sql)
    return env.DB.prepare(sql)
  },
  batch: (list) => env.DB.batch(list),
}
const db = spied as D1Database
const spiedEnv: Env = { ...env, DB: db, LEDGER: unheard }
const context = runContext({ env: spiedEnv })

/** The tables that a statement scans completely, according to SQLite; aliases are resolved from the statement. */
async function scannedWhole(sql: string): Promise<string[]> {
  const numbered = [...sql.matchAll(/\?(\d+)/g)].map(([, number]) => Number(number))
  const count = numbered.length > 0 ? Math.max(...numbered) : (sql.match(/\?/g)?.length ?? 0)
  const plan = await rows<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`, ...Array.from({ length: count }, () => null))
  return plan.flatMap(({ detail }) => {
    const [, name] = /^SCAN (\w+)(?! VIRTUAL)\b/.exec(detail) ?? []
    // An index of current watches is as long as the necessary work, and one of superusers is short.
    if (name === undefined || /INDEX (section_group_watched|user_superuser)$/.test(detail)) return []
    const table = new RegExp(`\\b(${large})(?: AS)? ${name}\\b`).exec(sql.replaceAll('"', ''))?.[1] ?? name
    return new RegExp(`^(${large})$`).test(table) ? [`${table}: ${detail}`] : []
  })
}

test('no statement between a seat and a phone scans a large table', async () => {
  const group = await makeGroup()
  const section = await makeSection(group, '10001')
  const recipient = await makeRecipient([{ kind: 'phone', address: '+12025550100' }])
  await addWatchedSection(db, trackerStaff, { recipientId: recipient, sectionId: section }, Date.now())
  await schedulePolls.plan(spiedEnv, Date.now())
  await readWatchedGroups(db, group.source_id, Date.now())
  const change = {
    seats_available: 1,
    seats_for_anyone: null,
    capacity: 30,
    waitlist_available: 0,
    is_changed: true,
    is_opening: true,
  }
  const [known] = await rows<KnownSection>('SELECT * FROM section WHERE id = ?', section)
  if (!known) throw new Error('The section is not stored.')
  const proposal = { ...readOf(group, Date.now()), known, status: 'open' as const, ...change }
  const believed = [readOf(group, Date.now())]
  const recorded = await recordObservations(db, {
    pollId: 'plans',
    now: Date.now(),
    proposals: [proposal],
    groups: believed,
  })
  await recordObservations(db, { pollId: 'quiet', now: Date.now(), proposals: [], groups: believed })
  const absence = { missing: [section], unknown: [section], observed: [section], why: 'It is not listed.' }
  const partly = believed.map((read) => ({ ...read, absence }))
  await recordObservations(db, { pollId: 'partial', now: Date.now(), proposals: [], groups: partly })
  await write(db, resetGroupFailures(group.source_id))
  await sweepAlerts.run(context, {})
  await archiveWatches.run(context, {})
  const [claim] = await claimDeliveries(spiedEnv, [{ id: recorded.delivery_ids[0] ?? 0, now: Date.now() }])
  if (claim?.kind !== 'claimed') throw new Error('The message is not claimed.')
  await rows('UPDATE delivery SET due_at = 0')
  await sendDelivery.run(context, { delivery_id: recorded.delivery_ids[0] ?? 0, flow: 'plans', account: 'sms' })
  const leavingOut = { ...claim.delivery, left_out: [1] }
  await beginTries(spiedEnv, [{ delivery: leavingOut, body: '{}', is_repeated: false, now: Date.now() }])
  const toldAgain = { ...claim.delivery, told_again: [section] }
  const settlement = accepted('SM0', Date.now(), false)
  await settleDeliveries(spiedEnv, [{ delivery: toldAgain, settlement, now: Date.now() }])
  await releaseUnpushed(spiedEnv, [{ poll_id: 'plans', recipient_id: recipient, now: Date.now() }])
  await removeWatchedSection(db, trackerStaff, { recipientId: recipient, sectionId: section }, Date.now())
  await schoolTermsOf(db, 0, group.term_id)
  for (const kind of deletables) await deleteOld(db, kind, 0, Date.now())
  await readTogether(db, findUnreadSources({ now: Date.now() }), findSourceNotices())
  const named = { id: group.source_id, name: 'Harbor' }
  await notifyStaff(spiedEnv, named, secondLookOff(named), Date.now())
  expect(statements.size).toBeGreaterThan(25)
  const scans: Record<string, string[]> = {}
  for (const sql of statements) {
    const found = await scannedWhole(sql)
    if (found.length > 0) scans[sql] = found
  }
  expect(scans).toEqual({})
})

test('no statement for a report of a provider, or for an opt-out, scans a large table', async () => {
  const before = new Set(statements)
  const message = { id: 1, first_tried_at: 1 }
  await recordSmsReports(
    db,
    [
      { sid: 'SM1', status: 'sent', error_code: null, message },
      { sid: 'SM2', status: 'delivered', error_code: null, message: null },
      { sid: 'SM3', status: 'undelivered', error_code: '30005', message: null },
      { sid: 'SM4', status: 'failed', error_code: '21610', message },
    ],
    Date.now(),
  )
  for (const type of ['delivered', 'bounced', 'complained', 'suppressed', 'failed'])
    await recordMailEvent(db, { type: `email.${type}`, data: { email_id: 'mail', to: [] } }, Date.now())
  await optOut(db, { kind: 'phone', address_key: '+12025550100' }, Date.now())
  await settleDeliveries(
    spiedEnv,
    (['phone', 'discord', 'push'] as const).map((channel) => ({
      delivery: { id: 1, claim: 1, channel, address: 'x', created_at: 1, told_again: [] },
      settlement: { ...failed('Gone.', false, false), is_address_gone: true, is_opt_out: true },
      now: Date.now(),
    })),
  )
  const scans: Record<string, string[]> = {}
  for (const sql of [...statements].filter((one) => !before.has(one))) {
    const found = await scannedWhole(sql)
    if (found.length > 0) scans[sql] = found
  }
  expect(statements.size - before.size).toBeGreaterThan(15)
  expect(scans).toEqual({})
})
