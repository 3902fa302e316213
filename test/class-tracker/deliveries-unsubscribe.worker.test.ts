import { env, exports } from 'cloudflare:workers'
import { describe, expect, test } from 'vitest'
import { unsubscribeToken } from '../../src/notify/unsubscribe-token.ts'
import { type MadeDelivery, makeDelivery, runDelivery } from '../worker/deliveries.ts'
import { rows } from '../worker/rows.ts'
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

describe('the way out of mail', () => {
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

  test('stops at one click from a mail program, says so the second time, and can be taken back', async () => {
    const { delivery, path } = await made()
    const form = (body: string) => ({
      method: 'POST',
      body,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    })
    const stopped = await page(path, form('List-Unsubscribe=One-Click'))
    expect(stopped.status).toBe(200)
    expect(stopped.text).toContain('Done: no more class alerts')
    const { opted_out_at } = await contactOf(delivery)
    expect(opted_out_at).toBeGreaterThan(0)
    expect((await page(path, form('List-Unsubscribe=One-Click'))).text).toContain('already stopped')
    expect((await contactOf(delivery)).opted_out_at).toBe(opted_out_at)
    expect((await page(path)).text).toContain('already stopped')
    expect((await page(path, form('resubscribe=1'))).text).toContain('again')
    expect((await contactOf(delivery)).opted_out_at).toBeNull()
  })

  test('stops without any body too', async () => {
    const { delivery, path } = await made()
    expect((await page(path, { method: 'POST' })).status).toBe(200)
    expect((await contactOf(delivery)).opted_out_at).toBeGreaterThan(0)
  })

  test('of a removed contact says so; a forged link is not there', async () => {
    const { delivery, path } = await made()
    const { id } = await contactOf(delivery)
    await env.DB.prepare('DELETE FROM contact WHERE id = ?').bind(id).run()
    expect(await page(path)).toMatchObject({ status: 200, text: expect.stringContaining('no longer stored') })
    expect(await page(path, { method: 'POST' })).toMatchObject({ status: 200 })
    const other = await unsubscribeToken(id, 'another secret of more than thirty-two characters')
    for (const method of ['GET', 'POST']) {
      for (const token of [other, `${id}`, 'x']) {
        expect((await page(`/notify/unsubscribe/${token}`, { method })).status).toBe(404)
      }
    }
  })
})
