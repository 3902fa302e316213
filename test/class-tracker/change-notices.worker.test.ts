import { env } from 'cloudflare:workers'
import { describe, expect, test, vi } from 'vitest'
import type { Change } from '../../src/class-tracker/deliveries/change-notices.ts'
import { reportChange, sendNotice } from '../../src/class-tracker/deliveries/report-change.ts'
import { getRecipientLink } from '../../src/class-tracker/recipients/own-link.ts'
import { type JobContext, RetryAt } from '../../src/jobs/job.ts'
import { makeRecipient } from '../worker/catalog.ts'
import { runContext } from '../worker/job-context.ts'
import { trackerStaff } from '../worker/tracker-staff.ts'
import { world } from '../worker/world.ts'
import { addressOf, arrivedAt, makeDeliveries } from '../worker/deliveries.ts'
import { scene, subscription } from '../worker/devices.ts'
import { forgetPacers, pacerOf } from '../worker/pacers.ts'
import { one, rows } from '../worker/rows.ts'

/** Notices to a recipient's contacts: messages were stopped or paused, or a device was added or removed. */

describe('a change is reported to the other contacts', () => {
  /** The number of notices that so many changes caused. */
  async function noticesOf(recipient: number, changes: number, change: Change = 'stopped'): Promise<number> {
    const notices: object[] = []
    const LEDGER = {
      idFromName: () => '',
      get: () => ({ enqueue: async (requests: object[]) => (notices.push(...requests), requests) }),
    } as unknown as Env['LEDGER']
    for (let at = 1; at <= changes; at += 1) await reportChange({ ...env, LEDGER }, recipient, { change, at })
    return notices.length
  }

  test("at most five times an hour, so that no one can flood another person's phone", async () => {
    expect(await noticesOf(await makeRecipient([{ kind: 'phone', address: addressOf('phone') }]), 8)).toBe(5)
  })

  test('a stop even after five harmless changes', async () => {
    const recipient = await makeRecipient([{ kind: 'email', address: addressOf('email') }])
    expect(await noticesOf(recipient, 8, 'quiet_hours')).toBe(5)
    expect(await noticesOf(recipient, 1, 'paused')).toBe(0)
    expect(await noticesOf(recipient, 1, 'stopped')).toBe(1)
  })

  test('even if the first call to the ledger fails', async () => {
    const recipient = await makeRecipient([{ kind: 'email', address: addressOf('email') }])
    const added: object[][] = []
    const enqueue = vi
      .fn(async (requests: object[]) => (added.push(requests), requests))
      .mockRejectedValueOnce(new Error('Network connection lost.'))
    const LEDGER = { idFromName: () => '', get: () => ({ enqueue }) } as unknown as Env['LEDGER']
    await reportChange({ ...env, LEDGER }, recipient, { change: 'stopped', at: 1 })
    expect(added).toMatchObject([[{ task: 'send-notice' }]])
  })

  test('but not by text if staff turned texts off', async () => {
    const contacts = (['phone', 'email'] as const).map((kind) => ({ kind, address: addressOf(kind) }))
    const recipient = await makeRecipient(contacts)
    expect(await noticesOf(recipient, 1)).toBe(2)
    await rows('UPDATE recipient SET is_contact_by_phone = 0 WHERE id = ?', recipient)
    expect(await noticesOf(recipient, 1)).toBe(1)
  })
})

describe('a notice on a device', () => {
  /** A recipient's device, and what opens when its notification is clicked. */
  async function noticed() {
    const { recipient, subscribe, visitor, path } = await scene()
    const sent = await subscription()
    const opened = async () => {
      const { id } = await one<{ id: number }>(
        'SELECT id FROM contact WHERE recipient_id = ? AND address_key = ?',
        recipient,
        sent.endpoint,
      )
      await world.emptyOutbox()
      const input = { contact_id: id, change: 'paused', at: Date.now() }
      await sendNotice.runWithRawInput(
        runContext({ job: { id: `${sent.endpoint} ${input.at}`, attempt: 1, queue: 'alerts' } }),
        input,
      )
      const { push } = await world.outbox()
      return push.filter(({ title }) => title === 'Messages are paused').map(({ url, body }) => ({ url, body }))
    }
    return { recipient, sent, subscribe, visitor, path, opened }
  }
  const ownPage = (path: string) => [{ url: `${env.APP_URL}${path}`, body: expect.stringContaining('on your page') }]
  const noPage = [{ url: `${env.APP_URL}/s/`, body: expect.stringContaining('Ask the person who set up your alerts') }]

  test('opens the page if the device was added there, until the page gets a new link', async () => {
    const { recipient, sent, subscribe, path, opened } = await noticed()
    await subscribe(sent)
    expect(await opened()).toEqual(ownPage(path))
    const { url } = await getRecipientLink(env, trackerStaff, recipient, { isNew: true, now: Date.now() })
    expect(await opened()).toEqual(noPage)
    const token = url.slice(`${env.APP_URL}/r/`.length)
    expect((await subscribe(sent, { token })).status).toBe(200)
    expect(await opened()).toEqual(ownPage(`/r/${token}`))
  })

  test('does not open the page if the device was added with a forwarded message', async () => {
    const { recipient, sent, subscribe, path, opened } = await noticed()
    const [made] = await makeDeliveries([{ kind: 'email', address: `forwarded${recipient}@example.com` }])
    const code = String(recipient).padStart(10, 'f')
    await rows('UPDATE delivery SET link_code = ?, recipient_id = ? WHERE id = ?', code, recipient, made?.id)
    expect((await subscribe(sent, { code, token: '' })).status).toBe(200)
    expect(await opened()).toEqual(noPage)
    await subscribe(sent)
    expect((await subscribe(sent, { code, token: '' })).status).toBe(200)
    expect(await opened()).toEqual(ownPage(path))
  })
})

describe('a notice of a change', () => {
  /** One attempt to send a notice to a phone; `arrived`: how many did. */
  async function notice(kind: 'phone' | 'discord' = 'phone') {
    const address = addressOf(kind)
    const recipient = await makeRecipient([{ kind, address }])
    const { id } = await one<{ id: number }>('SELECT id FROM contact WHERE recipient_id = ?', recipient)
    const input = { contact_id: id, change: 'paused', at: Date.now() }
    const attempt = async (number: number, parts: Partial<JobContext> = {}) =>
      sendNotice.runWithRawInput(
        runContext({ job: { id: address, attempt: number, queue: 'alerts' }, ...parts }),
        input,
      )
    const optOut = () => rows('UPDATE contact SET opted_out_at = ? WHERE id = ?', input.at + 1, id)
    return { contact: id, attempt, optOut, arrived: async () => (await arrivedAt(address)).length }
  }

  test('is not sent to a contact that opted out in the meantime', async () => {
    const { attempt, arrived, optOut } = await notice()
    await optOut()
    expect(await attempt(1)).toEqual({ state: 'gone' })
    expect(await arrived()).toBe(0)
  })

  test('is not sent to a newer contact that has the id of a deleted one', async () => {
    const { attempt, arrived, contact } = await notice()
    await rows('UPDATE contact SET created_at = ? WHERE id = ?', Date.now() + 1, contact)
    expect(await attempt(1)).toEqual({ state: 'gone' })
    expect(await arrived()).toBe(0)
  })

  test('is not sent again after an attempt that died when it was sent', async () => {
    const { attempt, arrived } = await notice()
    expect(await attempt(1)).toEqual({ state: 'accepted' })
    expect(await attempt(2)).toEqual({ state: 'accepted' })
    expect(await arrived()).toBe(1)
  })

  test.each(['phone', 'discord'] as const)('is sent by %s after an attempt that died before', async (kind) => {
    const { attempt, arrived } = await notice(kind)
    expect(await attempt(2)).toEqual({ state: 'accepted' })
    expect(await arrived()).toBe(1)
  })

  test('waits as long as its provider says, as all messages of the account do', async () => {
    const { attempt, arrived } = await notice()
    await world.fault('sms', 'http_429', 1)
    const before = Date.now()
    const error = await attempt(1).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(RetryAt)
    // The world's provider asks for two seconds.
    const until = await pacerOf('sms').pausedUntil('sms')
    expect(until).toBeGreaterThanOrEqual(before + 2000)
    expect(error).toMatchObject({ retry_at: until })
    await forgetPacers(['sms'])
    expect(await attempt(2)).toEqual({ state: 'accepted' })
    expect(await arrived()).toBe(1)
  })

  test('is not sent by an attempt that may be over before its provider answers', async () => {
    const { attempt, arrived } = await notice()
    await expect(attempt(1, { deadline: Date.now() + 5000 })).rejects.toThrow('Too little time')
    expect(await arrived()).toBe(0)
  })
})
