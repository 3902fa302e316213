import { env } from 'cloudflare:workers'
import { describe, expect, test } from 'vitest'
import { deviceToken } from '../../src/class-tracker/recipients/signed-id.ts'
import { takeOften } from '../worker/take-often.ts'
import { addressOf, arrivedAt, makeDeliveries } from '../worker/deliveries.ts'
import { deviceCall, scene, subscription } from '../worker/devices.ts'
import { one, rows } from '../worker/rows.ts'

/** Devices that receive notifications: added on a page and changed by their service worker. */

describe('a device', () => {
  test("is added on its owner's page, once for any number of clicks", async () => {
    const { subscribe, contacts } = await scene()
    const sent = await subscription()
    const answer = await subscribe(sent)
    expect(answer.status).toBe(200)
    const { token } = await answer.json<{ token: string }>()
    expect((await subscribe(sent)).status).toBe(200)
    const [contact, ...more] = await contacts()
    expect(more).toEqual([])
    expect(contact).toMatchObject({ device: 'Chrome on Android', is_enabled: 1 })
    expect(token).toBe(await deviceToken(env, contact?.id ?? 0, contact?.address ?? ''))
  })

  test('is added with no guessed code: wrong ones are limited', async () => {
    const { subscribe } = await scene()
    const guess = async (tries: number) =>
      (await subscribe(await subscription(), { code: String(tries).padStart(10, 'z'), token: '' })).status
    for (let tries = 0; tries < 20; tries += 1) expect(await guess(tries)).toBe(404)
    expect(await guess(20)).toBe(429)
  })

  test('is also added with the code of a message, while the code is valid', async () => {
    const { subscribe, recipient, contacts } = await scene()
    const [made] = await makeDeliveries([{ kind: 'email', address: `code${recipient}@example.com` }])
    const code = String(recipient).padStart(10, 'c')
    await rows('UPDATE delivery SET link_code = ?, recipient_id = ? WHERE id = ?', code, recipient, made?.id)
    expect((await subscribe(await subscription(), { code, token: '' })).status).toBe(200)
    expect(await contacts()).toHaveLength(1)
    const { contact_id } = await one<{ contact_id: number }>('SELECT contact_id FROM delivery WHERE id = ?', made?.id)
    await rows('UPDATE delivery SET contact_id = NULL WHERE id = ?', made?.id)
    expect((await subscribe(await subscription(), { code, token: '' })).status).toBe(404)
    await rows(
      'UPDATE delivery SET contact_id = ?, address = ? WHERE id = ?',
      contact_id,
      'former@example.com',
      made?.id,
    )
    expect((await subscribe(await subscription(), { code, token: '' })).status).toBe(404)
    await rows(
      'UPDATE delivery SET address = ?, created_at = ? WHERE id = ?',
      made?.address,
      Date.now() - 31 * 24 * 3600_000,
      made?.id,
    )
    expect((await subscribe(await subscription(), { code, token: '' })).status).toBe(404)
    await rows('UPDATE delivery SET asked_at = ? WHERE id = ?', Date.now() - 24 * 3600_000, made?.id)
    expect((await subscribe(await subscription(), { code, token: '' })).status).toBe(200)
    expect((await subscribe(await subscription(), { code: 'unknown000', token: '' })).status).toBe(404)
  })

  test.each([
    ['https://evil.example/push'],
    ['http://169.254.169.254/latest/meta-data'],
    ['https://fcm.googleapis.com.evil.example/fcm/send/a'],
    [''],
  ])('at %j is refused', async (endpoint) => {
    const { subscribe, contacts } = await scene()
    const answer = await subscribe({ ...(await subscription()), endpoint })
    expect(answer.status).toBe(400)
    expect(await answer.json()).toEqual([expect.any(String)])
    expect(await contacts()).toEqual([])
  })

  test('cannot be added without the link, nor by another site', async () => {
    const { subscribe, visitor, contacts } = await scene()
    expect((await subscribe(await subscription(), { token: '1.x' })).status).toBe(404)
    const forged = await visitor.fetch('/push/subscribe', {
      method: 'POST',
      headers: { origin: 'https://evil.example' },
      body: new URLSearchParams({ ...(await subscription()) }),
    })
    expect(forged.status).toBe(403)
    expect(await contacts()).toEqual([])
  })

  test('is audited when it is added, not each time its page is opened', async () => {
    const { recipient, subscribe } = await scene()
    const sent = await subscription()
    for (const _ of ['added', 'opened', 'opened again']) expect((await subscribe(sent)).status).toBe(200)
    const audited = await rows(
      "SELECT act FROM audit WHERE table_name = 'recipient' AND row_key = ?",
      String(recipient),
    )
    expect(audited).toEqual([{ act: 'added a device' }])
  })

  test('is audited again when it had been turned off', async () => {
    const { recipient, subscribe } = await scene()
    const sent = await subscription()
    await subscribe(sent)
    await rows("UPDATE contact SET is_enabled = 0 WHERE recipient_id = ? AND kind = 'push'", recipient)
    await subscribe(sent)
    const audited = await rows(
      "SELECT act FROM audit WHERE table_name = 'recipient' AND row_key = ?",
      String(recipient),
    )
    expect(audited).toEqual([{ act: 'added a device' }, { act: 'added a device' }])
  })

  test('cannot be added endlessly with the link of a message, while the page still can change', async () => {
    const { recipient, subscribe, visitor, path } = await scene()
    await takeOften('change_by_alert_link', String(recipient), 60, { limit: 60, window_ms: 60 * 60_000 })
    const [made] = await makeDeliveries([{ kind: 'email', address: `often${recipient}@example.com` }])
    const code = String(recipient).padStart(10, 'o')
    await rows('UPDATE delivery SET link_code = ?, recipient_id = ? WHERE id = ?', code, recipient, made?.id)
    const refused = await subscribe(await subscription(), { code, token: '' })
    expect([refused.status, Number(refused.headers.get('retry-after'))]).toEqual([429, expect.any(Number)])
    expect((await subscribe(await subscription())).status).toBe(200)
    expect((await visitor.submit(path, { act: 'pause', days: '1' })).status).toBe(303)
  })

  test('of another recipient stays theirs, whose alerts would end unnoticed, until it is removed on their page', async () => {
    const [former, latter] = [await scene(), await scene()]
    const sent = await subscription()
    await former.subscribe(sent)
    const answer = await latter.subscribe(sent)
    expect([answer.status, await answer.json()]).toEqual([422, [expect.stringContaining('someone else')]])
    const [kept, ...more] = await former.contacts()
    expect(more).toEqual([])
    expect(await latter.contacts()).toEqual([])
    await former.visitor.submit(former.path, { act: 'contacts', remove: String(kept?.id) })
    expect((await latter.subscribe(sent)).status).toBe(200)
    expect(await latter.contacts()).toHaveLength(1)
  })

  test('is limited to ten per recipient', async () => {
    const { subscribe, contacts } = await scene()
    for (let number = 0; number < 10; number += 1) expect((await subscribe(await subscription())).status).toBe(200)
    const answer = await subscribe(await subscription())
    expect(answer.status).toBe(422)
    expect(await answer.json()).toEqual(['You have 10 devices: remove one first.'])
    expect(await contacts()).toHaveLength(10)
  })

  test('that ended cannot come back as the eleventh that is reached', async () => {
    const { subscribe, recipient } = await scene()
    const ofRecipient = "WHERE recipient_id = ? AND kind = 'push'"
    const { token } = await (await subscribe(await subscription())).json<{ token: string }>()
    await rows(`UPDATE contact SET undeliverable_at = ? ${ofRecipient}`, Date.now(), recipient)
    for (let number = 0; number < 10; number += 1) expect((await subscribe(await subscription())).status).toBe(200)
    const next = await subscription()
    const answer = await deviceCall('/push/subscribe', token, { ...next })
    expect([answer.status, await answer.json()]).toEqual([422, ['You have 10 devices: remove one first.']])
    await rows('DELETE FROM contact WHERE id = (SELECT max(id) FROM contact WHERE recipient_id = ?)', recipient)
    expect((await deviceCall('/push/subscribe', token, { ...next })).status).toBe(200)
    expect(await rows(`SELECT id FROM contact ${ofRecipient} AND undeliverable_at IS NULL`, recipient)).toHaveLength(10)
  })

  test('that was opted out can be added again', async () => {
    const { subscribe, contacts } = await scene()
    const sent = await subscription()
    await subscribe(sent)
    await rows('UPDATE contact SET opted_out_at = 1 WHERE address_key = ?', sent.endpoint)
    await rows("UPDATE contact SET address_key = address_key WHERE kind = 'push'")
    await subscribe(sent)
    expect(await contacts()).toMatchObject([{ opted_out_at: null }])
    expect(await rows('SELECT * FROM opt_out WHERE address_key = ?', sent.endpoint)).toEqual([])
  })

  test('is not removed by the Enter key: the first button of the form saves it', async () => {
    const { visitor, subscribe, path } = await scene()
    await subscribe(await subscription())
    const { html } = await visitor.see(path)
    const [form = ''] = /<form(?:(?!<\/form>).)*name="use".*?<\/form>/s.exec(html) ?? []
    const buttons = form.match(/<button.*?<\/button>/gs)?.filter((button) => !/<button[^>]* form=/.test(button))
    expect(buttons?.[0]).toContain('Save')
    expect(html).toMatch(/<button(?=[^>]* name="remove")[^>]* form="remove-device"/)
    expect(html).toMatch(/<form(?=[^>]* method="post")(?=[^>]* hidden)[^>]* id="remove-device"/)
  })

  test('can be removed on the page, which then gets a new address; the other contacts are notified', async () => {
    const { subscribe, contacts, visitor, path, recipient } = await scene()
    await subscribe(await subscription())
    const mailbox = addressOf('email')
    await rows(
      "INSERT INTO contact (recipient_id, kind, address, address_key, created_at) VALUES (?, 'email', ?2, ?2, 0)",
      recipient,
      mailbox,
    )
    const [contact] = await contacts()
    const answer = await visitor.submit(path, { act: 'contacts', remove: String(contact?.id) })
    expect(answer.status).toBe(303)
    expect(answer.headers.get('location')).not.toBe(path)
    expect((await visitor.get(answer.headers.get('location') ?? '')).status).toBe(200)
    expect(await contacts()).toEqual([])
    await expect.poll(() => arrivedAt(mailbox)).toEqual([expect.stringContaining('no longer gets notifications')])
  })

  test('with a replaced subscription is updated, only with its token', async () => {
    const { subscribe, contacts } = await scene()
    const { token } = await (await subscribe(await subscription())).json<{ token: string }>()
    const next = await subscription()
    const answer = await deviceCall('/push/subscribe', token, { ...next })
    expect(answer.status).toBe(200)
    expect((await contacts())[0]?.address).toBe(`${next.endpoint}#${next.p256dh}.${next.auth}`)
    const renewed = await answer.json<{ token: string }>()
    expect((await deviceCall('/push/subscribe', token, { ...next })).status).toBe(403)
    expect((await deviceCall('/push/subscribe', renewed.token, { ...next })).status).toBe(200)
    const elsewhere = { ...next, endpoint: 'https://evil.example/' }
    expect((await deviceCall('/push/subscribe', renewed.token, elsewhere)).status).toBe(400)
  })
})

describe('a device whose owner stopped all messages', () => {
  /** @returns its token */
  async function stopped() {
    const { subscribe, contacts, visitor, path } = await scene()
    const { token } = await (await subscribe(await subscription())).json<{ token: string }>()
    expect((await visitor.submit(path, { act: 'stop' })).status).toBe(303)
    expect(await contacts()).toMatchObject([{ opted_out_at: expect.any(Number) }])
    return { token, subscribe, contacts }
  }

  test('stays so when its browser renews the subscription, until it is added again', async () => {
    const { token, subscribe, contacts } = await stopped()
    const next = await subscription()
    expect((await deviceCall('/push/subscribe', token, { ...next })).status).toBe(200)
    expect(await contacts()).toMatchObject([
      { address: expect.stringContaining(next.endpoint), opted_out_at: expect.any(Number) },
    ])
    await subscribe(next)
    expect(await contacts()).toMatchObject([{ opted_out_at: null }])
  })

  test('gets messages if the page has already added its new subscription', async () => {
    const { token, subscribe, contacts } = await stopped()
    const next = await subscription()
    await subscribe(next)
    expect((await deviceCall('/push/subscribe', token, { ...next })).status).toBe(200)
    expect(await contacts()).toMatchObject([{ opted_out_at: expect.any(Number) }, { opted_out_at: null }])
    expect(await rows('SELECT * FROM opt_out WHERE address_key = ?', next.endpoint)).toEqual([])
  })
})

test('a device whose new subscription the page has already added gets the token of that contact', async () => {
  const { subscribe, contacts } = await scene()
  const { token } = await (await subscribe(await subscription())).json<{ token: string }>()
  const next = await subscription()
  await subscribe(next)
  const { token: renewed } = await (await deviceCall('/push/subscribe', token, { ...next })).json<{ token: string }>()
  const [, added] = await contacts()
  expect(renewed).toBe(await deviceToken(env, added?.id ?? 0, added?.address ?? ''))
  expect((await deviceCall('/push/subscribe', renewed, { ...next })).status).toBe(200)
})
