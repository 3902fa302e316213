import { createExecutionContext } from 'cloudflare:test'
import { env, exports } from 'cloudflare:workers'
import { describe, expect, test } from 'vitest'
import { app } from '../../src/app.tsx'
import { unsubscribeToken } from '../../src/notify/unsubscribe-token.ts'
import { addressOf, arrivedAt, type MadeDelivery, makeDelivery, runDelivery } from '../worker/deliveries.ts'
import { makeRecipient } from '../worker/catalog.ts'
import { rows } from '../worker/rows.ts'
import { watchedDatabase } from '../worker/watched-database.ts'
import { world } from '../worker/world.ts'

const site = env.APP_URL

async function contactOf({ recipient }: MadeDelivery) {
  const [contact] = await rows<{ id: number; opted_out_at: number | null }>(
    'SELECT id, opted_out_at FROM contact WHERE recipient_id = ?',
    recipient,
  )
  if (!contact) throw new Error('the contact is gone')
  return contact
}

describe('the unsubscribe link of an email', () => {
  const page = async (path: string, init: RequestInit = {}) => {
    const response = await exports.default.fetch(
      new Request(site + path, { ...init, headers: { accept: 'text/html', ...init.headers } }),
    )
    return { status: response.status, text: await response.text() }
  }

  async function made() {
    const delivery = await makeDelivery('email')
    await runDelivery(delivery.id)
    const mail = (await world.outbox()).email.find(({ to }) => to === delivery.address)
    const [path = ''] = /\/notify\/unsubscribe\/\S+/.exec(mail?.text ?? '') ?? []
    return { delivery, path }
  }

  test('asks first: opening the link changes nothing', async () => {
    const { delivery, path } = await made()
    const asked = await page(path)
    expect(asked.status).toBe(200)
    expect(asked.text).toContain('Stop these messages')
    expect(asked.text).not.toContain(delivery.address)
    expect((await contactOf(delivery)).opted_out_at).toBeNull()
  })

  test('unsubscribes with one click in an email app, says so the second time, and can be undone', async () => {
    const { delivery, path } = await made()
    const form = (body: string) => ({
      method: 'POST',
      body,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    })
    const stopped = await page(path, form('List-Unsubscribe=One-Click'))
    expect(stopped.status).toBe(200)
    expect(stopped.text).toContain('Done. We won’t send class alerts')
    const { opted_out_at } = await contactOf(delivery)
    expect(opted_out_at).toBeGreaterThan(0)
    expect((await page(path, form('List-Unsubscribe=One-Click'))).text).toContain('already stopped')
    expect((await contactOf(delivery)).opted_out_at).toBe(opted_out_at)
    expect((await page(path)).text).toContain('already stopped')
    expect((await page(path, form('resubscribe=1'))).text).toContain('are no longer stopped')
    expect((await contactOf(delivery)).opted_out_at).toBeNull()
  })

  test('also works without a body', async () => {
    const { delivery, path } = await made()
    expect((await page(path, { method: 'POST' })).status).toBe(200)
    expect((await contactOf(delivery)).opted_out_at).toBeGreaterThan(0)
  })

  test('is a 404 with the same message if its contact was removed, or if it is forged or broken', async () => {
    const { delivery, path } = await made()
    const { id } = await contactOf(delivery)
    const { address } = delivery
    const other = await unsubscribeToken(
      { id, kind: 'email', address },
      'another secret of more than thirty-two characters',
    )
    await env.DB.prepare('DELETE FROM contact WHERE id = ?').bind(id).run()
    for (const method of ['GET', 'POST']) {
      const answers = await Promise.all(
        [path, ...[other, `${id}`, 'x'].map((token) => `/notify/unsubscribe/${token}`)].map((link) =>
          page(link, { method }),
        ),
      )
      for (const { status, text } of answers) {
        expect(status).toBe(404)
        expect(text).toContain('If class alerts still come, please use the link in the latest one.')
        expect(text).not.toContain('@example.com')
      }
    }
  })

  const oneClick = {
    method: 'POST',
    body: 'List-Unsubscribe=One-Click',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  }
  const resubscribe = { ...oneClick, body: 'resubscribe=1' }

  test('of a removed contact does not affect the next owner of its number', async () => {
    const { delivery: ann, path } = await made()
    const { id } = await contactOf(ann)
    await env.DB.prepare('DELETE FROM contact WHERE id = ?').bind(id).run()
    const bob = await makeRecipient([{ kind: 'email', address: addressOf('email') }])
    await env.DB.prepare('UPDATE contact SET id = ? WHERE recipient_id = ?').bind(id, bob).run()
    const optedOut = () => rows('SELECT id, opted_out_at FROM contact WHERE recipient_id = ?', bob)
    for (const init of [{}, oneClick, { method: 'POST' }, resubscribe]) {
      const { status, text } = await page(path, init)
      expect(status).toBe(404)
      expect(text).not.toContain('@example.com')
      expect(await optedOut()).toEqual([{ id, opted_out_at: null }])
    }
    await env.DB.prepare('UPDATE contact SET opted_out_at = 7 WHERE id = ?').bind(id).run()
    expect((await page(path, resubscribe)).status).toBe(404)
    expect(await optedOut()).toEqual([{ id, opted_out_at: 7 }])
  })

  test('of an old address does not affect the new one, until the old one is back', async () => {
    const { delivery, path } = await made()
    const change = (address: string) =>
      env.DB.prepare('UPDATE contact SET address = ?1, address_key = ?1 WHERE recipient_id = ?2')
        .bind(address, delivery.recipient)
        .run()
    await change(addressOf('email'))
    for (const init of [{}, oneClick, resubscribe]) {
      const { status, text } = await page(path, init)
      expect(status).toBe(404)
      expect(text).not.toContain('@example.com')
      expect((await contactOf(delivery)).opted_out_at).toBeNull()
    }
    await change(delivery.address)
    expect((await page(path)).text).toContain('Stop these messages')
  })

  test('of a Discord webhook works like that of an email', async () => {
    const delivery = await makeDelivery('discord')
    await runDelivery(delivery.id)
    const [path = ''] = /\/notify\/unsubscribe\/[^\s>]+/.exec((await arrivedAt(delivery.address)).join('\n')) ?? []
    expect((await page(path, oneClick)).text).toContain('Done. We won’t send class alerts to Discord webhook')
    expect((await contactOf(delivery)).opted_out_at).toBeGreaterThan(0)
  })

  const after = (path: string, secrets: Partial<Env>, init: RequestInit = {}) =>
    app.request(
      site + path,
      { ...init, headers: { accept: 'text/html', ...init.headers } },
      { ...env, ...secrets },
      createExecutionContext(),
    )

  test('works after a change of the secret key while the previous one is kept', async () => {
    const { delivery, path } = await made()
    const rotated = {
      SECRET_KEY: 'the-next-secret-key-of-more-than-32-characters',
      SECRET_KEY_PREVIOUS: env.SECRET_KEY,
    }
    expect((await after(path, rotated)).status).toBe(200)
    expect((await after(path, { SECRET_KEY: rotated.SECRET_KEY })).status).toBe(404)
    expect((await after(path, rotated, oneClick)).status).toBe(200)
    expect((await contactOf(delivery)).opted_out_at).toBeGreaterThan(0)
  })

  test('works when the address is spelled differently', async () => {
    const { delivery, path } = await made()
    const spelled = delivery.address.toUpperCase()
    await rows(
      'UPDATE contact SET address = ?, address_key = ? WHERE recipient_id = ?',
      spelled,
      spelled,
      delivery.recipient,
    )
    expect((await page(path, oneClick)).status).toBe(200)
    expect((await contactOf(delivery)).opted_out_at).toBeGreaterThan(0)
  })

  test('works for a contact that was merged into an older spelling of its address, and for no one else', async () => {
    const { delivery } = await made()
    const { id } = await contactOf(delivery)
    const former = { id: 900_000 + id, kind: 'email', address: delivery.address.replace('person', 'Person') } as const
    await rows(
      `INSERT INTO merged_contact (id, recipient_id, kind, address, address_key, contact_id) VALUES (?, 0, 'email', ?, ?, ?)`,
      former.id,
      former.address,
      delivery.address,
      id,
    )
    const link = `/notify/unsubscribe/${await unsubscribeToken(former, env.SECRET_KEY)}`
    expect((await page(link)).text).toContain('Stop these messages')
    expect((await page(link, oneClick)).text).toContain('Done. We won’t send class alerts')
    expect((await contactOf(delivery)).opted_out_at).toBeGreaterThan(0)
    const other = addressOf('email')
    await rows('UPDATE contact SET address = ?1, address_key = ?1 WHERE id = ?2', other, id)
    expect((await page(link)).status).toBe(404)
  })

  test('a valid link is looked up once', async () => {
    const { path } = await made()
    let reads = 0
    const db = watchedDatabase({ before: () => void (reads += 1) })
    const response = await app.request(
      site + path,
      { headers: { accept: 'text/html' } },
      { ...env, DB: db },
      createExecutionContext(),
    )
    expect([response.status, reads]).toEqual([200, 1])
  })
})
