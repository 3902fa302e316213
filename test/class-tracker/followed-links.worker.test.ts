import { env } from 'cloudflare:workers'
import { expect, test } from 'vitest'
import { getRecipientLink } from '../../src/class-tracker/recipients/own-link.ts'
import { makeGroup, makeRecipient, makeSection, makeWatch } from '../worker/catalog.ts'
import { addressOf, makeDeliveries, runDelivery } from '../worker/deliveries.ts'
import { one, rows } from '../worker/rows.ts'
import { trackerStaff } from '../worker/tracker-staff.ts'
import { Visitor } from '../worker/visitor.ts'
import { world } from '../worker/world.ts'

/**
 * Email filters open every link of an email, some twice, some with HEAD, and chat apps draw previews: none of these may
 * have an effect.
 */

const tables = [
  'contact',
  'recipient',
  'watch',
  'delivery',
  'class_alert',
  'opt_out',
  'audit',
  'notice',
  'session',
] as const
const everything = async () =>
  Object.fromEntries(await Promise.all(tables.map(async (table) => [table, await rows(`SELECT * FROM ${table}`)])))

const agents = ['Mozilla/5.0 (compatible; MailFilter/1.0)', 'Discordbot/2.0']

test('following every link in every message, by GET and HEAD, changes nothing', async () => {
  const addresses = (['phone', 'email', 'discord'] as const).map((kind) => ({ kind, address: addressOf(kind) }))
  const made = await makeDeliveries(addresses)
  for (const { id } of made) await runDelivery(id)
  const { sms, email, discord } = await world.outbox()
  const ours = (to: unknown) =>
    addresses.some(({ address }) => String(to).includes(address.split('/webhooks/').at(-1) ?? ''))
  const said = JSON.stringify([
    ...sms.filter(({ to }) => ours(to)),
    ...email.filter(({ to }) => ours(to)),
    ...discord.filter(({ url }) => ours(url)),
  ])
  const links = new Set([...said.matchAll(/https?:\/\/[^\s"\\<>)]+/g)].map(([link]) => link.replace(/#.*$/, '')))
  const paths = [...links]
    .filter((link) => link.startsWith(env.APP_URL))
    .map((link) => link.slice(env.APP_URL.length).replace(/[.,]$/, ''))
  expect(paths.filter((path) => path.startsWith('/s/')).length).toBe(3)
  expect(paths.some((path) => path.startsWith('/r/'))).toBe(true)
  expect(paths.filter((path) => path.startsWith('/notify/unsubscribe/')).length).toBeGreaterThanOrEqual(2)
  const before = await everything()
  for (const path of paths)
    for (const agent of agents)
      for (const method of ['GET', 'HEAD'])
        for (const accept of ['*/*', 'application/json']) {
          const headers = { 'user-agent': agent, accept }
          const { status } = await new Visitor().fetch(path, { method, headers })
          expect([path, method, status]).toEqual([path, method, 200])
        }
  expect(await everything()).toEqual(before)
})

test('addresses of actions accept no GET', async () => {
  const [made] = await makeDeliveries([{ kind: 'email', address: addressOf('email') }])
  if (!made) throw new Error('nothing was made')
  await runDelivery(made.id)
  const { link_code } = await one<{ link_code: string }>('SELECT link_code FROM delivery WHERE id = ?', made.id)
  const before = await everything()
  for (const act of ['got_it', 'pass', 'stop_all', 'opened', 'copied'])
    for (const method of ['GET', 'HEAD']) {
      const { status } = await new Visitor().fetch(`/s/${link_code}/${act}/`, { method })
      expect([act, method, status]).toEqual([act, method, 405])
    }
  expect(await everything()).toEqual(before)
})

test("in two tabs of a recipient's own page, the later choice wins, and an old address shows an explanation", async () => {
  const recipient = await makeRecipient([
    { kind: 'email', address: addressOf('email') },
    { kind: 'push', address: `https://web.push.apple.com/${crypto.randomUUID()}#k.a` },
  ])
  await makeWatch(recipient, await makeSection(await makeGroup(), '10001'))
  const { url } = await getRecipientLink(env, trackerStaff, recipient, { isNew: false, now: Date.now() })
  const path = url.slice(env.APP_URL.length)
  const [first, other] = [new Visitor(), new Visitor()]
  await first.see(path)
  await other.see(path)
  const contacts = await rows<{ id: number; kind: string }>(
    'SELECT id, kind FROM contact WHERE recipient_id = ?',
    recipient,
  )
  const mailbox = String(contacts.find(({ kind }) => kind === 'email')?.id)
  const device = String(contacts.find(({ kind }) => kind === 'push')?.id)
  expect((await first.submit(path, { act: 'pause', days: '7' })).status).toBe(303)
  // The other tab still offers to pause: the later choice wins.
  expect((await other.submit(path, { act: 'pause', days: '1' })).status).toBe(303)
  const { paused_until } = await one<{ paused_until: number }>(
    'SELECT paused_until FROM recipient WHERE id = ?',
    recipient,
  )
  expect(paused_until - Date.now()).toBeLessThan(24 * 3600_000)
  // One tab removes the device, which gives the page a new address; the other one is refused with an explanation, and
  // changes nothing.
  const moved = await first.submit(path, { act: 'contacts', remove: device })
  expect(moved.headers.get('location')).not.toBe(path)
  const late = await other.submit(path, { act: 'contacts', contact: mailbox })
  expect(late.status).toBe(404)
  expect(await late.text()).toContain('replaced by a newer one')
  expect(await one('SELECT is_enabled FROM contact WHERE id = ?', mailbox)).toEqual({ is_enabled: 1 })
})
