import { createExecutionContext, waitOnExecutionContext } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { describe, expect, test, vi } from 'vitest'
import { app } from '../../src/app.tsx'
import { watchAgain } from '../../src/class-tracker/links/answer-link.ts'
import type { AlertLinkProps } from '../../src/class-tracker/links/contract.ts'
import { getRecipientLink } from '../../src/class-tracker/recipients/own-link.ts'
import { removeContact } from '../../src/class-tracker/recipients/remove-recipient.ts'
import { findLink } from '../../src/class-tracker/links/find-link.ts'
import { takeOften } from '../worker/take-often.ts'
import { hurry } from '../worker/hurry.ts'
import {
  addressOf,
  arrivedAt,
  deliveryOf,
  type MadeDelivery,
  makeDeliveries,
  makeDelivery,
  runDelivery,
} from '../worker/deliveries.ts'
import { askWith } from '../worker/job-fixtures.ts'
import { one, rows } from '../worker/rows.ts'
import { trackerStaff } from '../worker/tracker-staff.ts'
import { site, Visitor } from '../worker/visitor.ts'

const change = (statement: string, ...values: unknown[]) =>
  env.DB.prepare(statement)
    .bind(...values)
    .run()

/** A message that was sent, and the path of its page. */
async function sent(): Promise<MadeDelivery & { path: string }> {
  const made = await makeDelivery('phone')
  await runDelivery(made.id)
  const { link_code } = await one<{ link_code: string }>('SELECT link_code FROM delivery WHERE id = ?', made.id)
  expect(link_code).toMatch(/^[0-9A-Za-z]{10}$/)
  return { ...made, path: `/s/${link_code}` }
}

const stateOf = async (id: number) =>
  one<{ state: string; seen_at: number | null; seen_by: string | null; opened_at: number | null }>(
    'SELECT state, seen_at, seen_by, opened_at FROM delivery WHERE id = ?',
    id,
  )

const readAt = (section: number, at: number) =>
  change(
    'UPDATE section_group SET read_at = ?1, listed_at = ?1 WHERE id = (SELECT group_id FROM section WHERE id = ?2)',
    at,
    section,
  )

describe('the page of a message', () => {
  test('shows the current state to anyone who has the link, and opening it changes nothing', async () => {
    const { id, path, section } = await sent()
    await change('UPDATE section SET seats_available = 2, capacity = 30 WHERE id = ?', section)
    await readAt(section, Date.now() - 20_000)
    const before = await deliveryOf(id)
    const { response, html, data } = await new Visitor().see<AlertLinkProps>(path)
    expect(response.status).toBe(200)
    expect(response.headers.get('x-robots-tag')).toBe('noindex')
    // A preview uses this as its title, which should not appear in a chat where someone posts the link.
    expect(html).toContain('<meta property="og:title" content="Class Cords"/>')
    expect(data.page).toBe('AlertLink')
    expect(data.props).toMatchObject({
      alerts: [{ kind: 'opening', course_section: { id: section }, now: { status: 'open', seats_available: 2 } }],
    })
    for (const said of ['Open now', 'CRN', '10001', 'Register at', 'I got the seat', 'Stop all messages'])
      expect(html).toContain(said)
    expect(await deliveryOf(id)).toEqual(before)
  })

  test('is what a phone opens that adds it to its Home Screen, which notifications on an iPhone need', async () => {
    const { path } = await sent()
    const visitor = new Visitor()
    const { html } = await visitor.see(path)
    const [, address = ''] = /<link rel="manifest" href="([^"]+)"/.exec(html) ?? []
    const answer = await visitor.get(address)
    expect(answer.headers.get('content-type')).toContain('application/manifest+json')
    expect(await answer.json()).toMatchObject({ start_url: path, display: 'standalone' })
    expect((await visitor.get('/s/short/app.webmanifest')).status).toBe(404)
  })

  test('does not call a section open if it was read long ago', async () => {
    const { path, section } = await sent()
    await change('UPDATE section SET seats_available = 2, capacity = 30 WHERE id = ?', section)
    await readAt(section, Date.now() - 11 * 60_000)
    const { html, data } = await new Visitor().see<AlertLinkProps>(path)
    expect(html).toContain('Open when last checked')
    expect(html).toContain('11 min ago')
    for (const claim of ['Open now', 'Register at', 'seat-alert-open']) expect(html).not.toContain(claim)
    expect(data.props.alerts[0]?.now.status).toBe('open')
  })

  test('labels uncertain seats as last known, and draws no free seat', async () => {
    const { path, section } = await sent()
    await change("UPDATE section SET status = 'unknown', seats_available = 2, capacity = 30 WHERE id = ?", section)
    const { html } = await new Visitor().see(path)
    expect(html).toContain('Unknown right now')
    expect(html).toMatch(/Last known: (?:<!-- -->)?<b>2(?:<!-- -->)? left/)
    for (const claim of ['Open now', 'Register at', 'seat-alert-open', 'seat-map-free'])
      expect(html).not.toContain(claim)
  })

  test('counts only the seats that anyone may take', async () => {
    const { path, section } = await sent()
    await change('UPDATE section SET seats_available = 5, seats_for_anyone = 1, capacity = 30 WHERE id = ?', section)
    const { html, data } = await new Visitor().see<AlertLinkProps>(path)
    expect(html).toMatch(/<b>1(?:<!-- -->)? left/)
    expect(html.match(/seat-map-free/g)).toHaveLength(1)
    expect(data.props.alerts[0]?.course_section).toMatchObject({ seats_available: 5, seats_for_anyone: 1 })
  })

  test('says when the seat is taken, and that the section is still watched', async () => {
    const { path, section } = await sent()
    await change("UPDATE section SET status = 'closed', seats_available = 0 WHERE id = ?", section)
    const { html } = await new Visitor().see(path)
    for (const said of ['Full again', 'still watching', 'View on school site']) expect(html).toContain(said)
    expect(html).not.toContain('Register at')
  })

  test('says on which day it was last checked, if that was not today', async () => {
    const { path, section } = await sent()
    await change("UPDATE section SET status = 'closed', seats_available = 0 WHERE id = ?", section)
    await readAt(section, Date.now())
    const { html } = await new Visitor().see(path)
    expect(html).toMatch(/The seat was gone when we checked at \d+:\d\d [AP]M/)
    await readAt(section, Date.UTC(2026, 0, 5, 12))
    expect((await new Visitor().see(path)).html).toContain('The seat was gone when we checked on Jan 5, 2026.')
  })

  test('lists other sections with seats when the section is full, and how old their figures are', async () => {
    const { path, section } = await sent()
    const copies = [
      ['other', '002', 'open', 4],
      ['more', '003', 'open', 9],
      ['closed', '004', 'closed', 0],
      ['missing', '005', 'open', 5],
      ['lab', '006', 'open', 6],
      ['elsewhere', '007', 'open', 7],
    ] as const
    for (const [key, code, status, seats] of copies)
      await change(
        `INSERT INTO section (school_term_id, group_id, course_id, section_key, section, topic, status, seats_available,
           instruction_list, instruction_mode, fingerprint, created_at)
         SELECT school_term_id, group_id, course_id, section_key || ?, ?, topic, ?, ?, instruction_list, instruction_mode, '', 0
         FROM section WHERE id = ?`,
        key,
        code,
        status,
        seats,
        section,
      )
    const alter = (code: string, what: string) =>
      change(
        `UPDATE section SET ${what} WHERE section = ? AND group_id = (SELECT group_id FROM section WHERE id = ?)`,
        code,
        section,
      )
    await alter('005', 'missing_since = 1')
    await alter('006', "component = 'Laboratory'")
    await change(
      "INSERT INTO course (subject_id, code, level, title) SELECT subject_id, code, '999', '' FROM course LIMIT 1",
    )
    await alter('007', "course_id = (SELECT id FROM course WHERE level = '999')")
    await readAt(section, Date.now() - 3 * 60 * 60_000)
    expect((await new Visitor().see(path)).html).not.toContain('Other sections')

    await change("UPDATE section SET status = 'closed', seats_available = 0 WHERE id = ?", section)
    const { html } = await new Visitor().see(path)
    const [, list = ''] = /Other sections with seats<\/h2>(.*?)<\/section>/.exec(html) ?? []
    const lines = [...list.matchAll(/<dt>(.*?)<\/dt><dd>(.*?)<\/dd>/g)].map(([, code, said = '']) => [
      code,
      said.replace(/<[^>]*>/g, ''),
    ])
    expect(lines).toEqual([
      ['003', expect.stringMatching(/^CRN \d+more · 9 left · .* · checked 3 h ago$/)],
      ['002', expect.stringMatching(/^CRN \d+other · 4 left · .* · checked 3 h ago$/)],
    ])
  })

  test("names the class's largest public server and describes an online room without a campus", async () => {
    const { path, section } = await sent()
    await change("UPDATE section SET place = 'Stone Hall 12', campus = 'Online' WHERE id = ?", section)
    const servers = [
      [`${section}1`, 'Small study group', 'public', 20],
      [`${section}2`, 'Large study group', 'public', 300],
      [`${section}3`, 'Secret study group', 'private', 900],
    ] as const
    for (const [id, name, privacy, members] of servers) {
      await change(
        'INSERT INTO discord_server (server_id, name, privacy_level, member_count, created_at) VALUES (?, ?, ?, ?, 0)',
        id,
        name,
        privacy,
        members,
      )
      await change(
        `INSERT INTO server_course (server_id, course_id) SELECT d.id, s.course_id FROM discord_server d, section s
         WHERE d.server_id = ? AND s.id = ?`,
        id,
        section,
      )
      await change(
        `INSERT INTO invite (code, server_id, state, privacy_level, created_at, decided_at, due_at)
         SELECT 'code-' || server_id, id, 'approved', privacy_level, 0, 0, 0 FROM discord_server WHERE server_id = ?`,
        id,
      )
    }
    const { html } = await new Visitor().see(path)
    for (const said of ['Large study group', '300 members', 'Stone Hall 12']) expect(html).toContain(said)
    for (const hidden of ['Small study group', 'Secret study group', 'Stone Hall 12 · Online'])
      expect(html).not.toContain(hidden)
  })

  test('works for 30 days, a wrong code is a 404, and guesses are limited', async () => {
    const { id, path } = await sent()
    const visitor = new Visitor()
    await change('UPDATE delivery SET created_at = created_at - ? WHERE id = ?', 31 * 24 * 60 * 60_000, id)
    const old = await visitor.get(path)
    expect([old.status, old.headers.get('x-robots-tag')]).toEqual([404, 'noindex'])
    expect(await old.text()).toContain('This link has expired')
    for (let tries = 0; tries < 19; tries += 1) {
      expect((await visitor.get(`/s/${String(tries).padStart(10, 'x')}`)).status).toBe(404)
    }
    const refused = await visitor.get(`/s/${'z'.repeat(10)}`)
    expect([refused.status, refused.headers.get('x-robots-tag')]).toEqual([429, 'noindex'])
    const wait = Number(refused.headers.get('retry-after'))
    expect(wait).toBeGreaterThan(3500)
    expect(wait).toBeLessThanOrEqual(3600)
    expect((await new Visitor().get(`/s/${'z'.repeat(10)}`)).status).toBe(404)
  })

  test('works and can be answered where others share an address that tried too many wrong codes', async () => {
    const visitor = new Visitor()
    for (let tries = 0; tries < 21; tries += 1) await visitor.get(`/s/${String(tries).padStart(10, 'x')}`)
    expect((await visitor.get(`/s/${'z'.repeat(10)}`)).status).toBe(429)
    const { id, path } = await sent()
    expect((await visitor.see(path)).response.status).toBe(200)
    expect((await visitor.submit(`${path}/got_it/`, {})).status).toBe(303)
    expect(await stateOf(id)).toMatchObject({ seen_by: 'got_it' })
  })

  test('is shown after a stop without waiting for the notices of it', async () => {
    const [text] = await makeDeliveries([
      { kind: 'phone', address: addressOf('phone') },
      { kind: 'email', address: addressOf('email') },
    ])
    const { id } = text ?? expect.fail('nothing was made')
    await runDelivery(id)
    const { link_code } = await one<{ link_code: string }>('SELECT link_code FROM delivery WHERE id = ?', id)
    const visitor = new Visitor()
    await visitor.see(`/s/${link_code}`)
    const cookie = [...visitor.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const request = new Request(`${site}/s/${link_code}/stop_all/`, {
      method: 'POST',
      redirect: 'manual',
      headers: { cookie, origin: site, 'sec-fetch-site': 'same-origin', accept: 'text/html' },
      body: new URLSearchParams({ csrf_token: visitor.csrfToken }),
    })
    const added = Promise.withResolvers<object[]>()
    const enqueue = vi.fn(() => added.promise)
    const LEDGER = { idFromName: () => '', get: () => ({ enqueue }) } as unknown as Env['LEDGER']
    const context = createExecutionContext()
    expect((await app.fetch(request, { ...env, LEDGER }, context)).status).toBe(303)
    added.resolve([])
    await waitOnExecutionContext(context)
    expect(enqueue).toHaveBeenCalledOnce()
  })

  test('works while the limit of guesses does not answer', async () => {
    hurry(2000)
    const { path } = await sent()
    const never = new Proxy({}, { get: () => () => new Promise(() => undefined) })
    const LIMITER = { idFromName: () => '', get: () => never } as unknown as Env['LIMITER']
    expect((await askWith({ LIMITER }, path)).status).toBe(200)
    expect((await askWith({ LIMITER }, `/s/${'y'.repeat(10)}`)).status).toBe(404)
  })
})

describe('an invalid link', () => {
  test('says what is wrong with it, and asks for the right one', async () => {
    const visitor = new Visitor()
    for (const [path, said] of [
      ['/s/', 'Open your message'],
      ['/s/abc', 'This link is incomplete'],
      [`/s/${'x'.repeat(10)}`, 'We don’t know this link'],
    ] as const) {
      const { response, html, data } = await visitor.see<{ status: number; messages: string[] }>(path)
      expect([response.status, response.headers.get('x-robots-tag'), data.page, data.props.status]).toEqual([
        404,
        'noindex',
        'Error',
        404,
      ])
      expect(html).toContain(`<h1>${said}</h1>`)
      expect(html).toContain('<form class="stack" action="/s/">')
    }
  })

  test.each([
    'abcdefghij',
    ' https://class.cords/s/abcdefghij ',
    'class.cords/s/abcdefghij/',
    'Seat open: https://class.cords/s/abcdefghij Reply STOP to end.',
  ])('“%s” leads to its page', async (code) => {
    const response = await new Visitor().get(`/s/?code=${encodeURIComponent(code)}`)
    expect([response.status, response.headers.get('location')]).toEqual([302, '/s/abcdefghij'])
  })
})

describe('an answer', () => {
  test('"I got the seat" ends the watch, and the page confirms it', async () => {
    const { id, path, recipient } = await sent()
    const visitor = new Visitor()
    await visitor.see(path)
    const response = await visitor.submit(`${path}/got_it/`, {})
    expect([response.status, response.headers.get('location')]).toEqual([303, path])
    expect(await rows('SELECT id FROM watch WHERE recipient_id = ?', recipient)).toEqual([])
    expect(await stateOf(id)).toMatchObject({
      seen_at: expect.any(Number),
      seen_by: 'got_it',
      opened_at: expect.any(Number),
    })
    const { html } = await visitor.see(path)
    expect(html).toContain('We stopped watching this class for you.')
    expect(
      await rows("SELECT who FROM audit WHERE table_name = 'watch' AND act = 'deleted' AND who = 'link in a message'"),
    ).not.toEqual([])
  })

  test('"Watch it again" restores the watch until the term ends, and pressing it twice adds it once', async () => {
    const { path, recipient, section } = await sent()
    const visitor = new Visitor()
    await visitor.see(path)
    await visitor.submit(`${path}/got_it/`, {})
    const before = await visitor.see(path)
    expect(before.html).toContain('Watch it again')
    expect(before.html).not.toContain('I got the seat')
    const watches = () => rows('SELECT section_id FROM watch WHERE recipient_id = ? AND archived_at IS NULL', recipient)
    for (const _ of ['once', 'twice']) {
      const response = await visitor.submit(`${path}/watch_again/`, { section_id: String(section) })
      expect([response.status, response.headers.get('location')]).toEqual([303, path])
      expect(await watches()).toEqual([{ section_id: section }])
    }
    expect((await visitor.see(path)).html).toContain('I got the seat')
    expect((await visitor.submit(`${path}/watch_again/`, { section_id: String(section + 1000) })).status).toBe(404)
    expect(
      await rows("SELECT id FROM audit WHERE table_name = 'watch' AND act = 'added' AND who = 'link in a message'"),
    ).toHaveLength(1)

    await visitor.submit(`${path}/got_it/`, {})
    await change(
      'UPDATE school_term SET ends_at = ? WHERE id = (SELECT school_term_id FROM section WHERE id = ?)',
      1,
      section,
    )
    const { html } = await visitor.see(path)
    expect(html).toContain('is over')
    expect(html).not.toContain('Watch it again')
    expect((await visitor.submit(`${path}/watch_again/`, { section_id: String(section) })).status).toBe(422)
    expect(await watches()).toEqual([])
  })

  test.each([
    ['UPDATE recipient SET paused_until = 4102444800000 WHERE id = ?', 'your messages are paused until Jan 1, 2100'],
    ['UPDATE contact SET opted_out_at = 1 WHERE recipient_id = ?', 'your messages are stopped.'],
    ['UPDATE contact SET is_enabled = 0 WHERE recipient_id = ?', 'no message can reach you.'],
  ])('promises no message that does not come: %s', async (statement, said) => {
    const { path, recipient } = await sent()
    await change(statement, recipient)
    const visitor = new Visitor()
    await visitor.see(path)
    await visitor.submit(`${path}/pass/`, {})
    const passed = await visitor.see(path)
    expect(passed.html).toContain(`Thanks for telling us. We keep watching, but ${said}`)
    await visitor.submit(`${path}/got_it/`, {})
    await visitor.submit(`${path}/watch_again/`, {})
    const { html, data } = await visitor.see(path)
    expect(data.context.messages.at(-1)?.message).toMatch(/^We’re watching .* for you again, but /)
    expect(data.context.messages.at(-1)?.message).toContain(said)
    expect(html.includes('Messages are paused until Jan 1, 2100')).toBe(said.includes('paused'))
  })

  test('"Watch it again" is limited, while "I got the seat" and "Stop all messages" never are', async () => {
    const { path, recipient, section } = await sent()
    const visitor = new Visitor()
    await visitor.see(path)
    await takeOften('change_by_alert_link', String(recipient), 60, { limit: 60, window_ms: 60 * 60_000 })
    expect((await visitor.submit(`${path}/got_it/`, {})).status).toBe(303)
    expect((await visitor.submit(`${path}/watch_again/`, { section_id: String(section) })).status).toBe(429)
    expect((await visitor.submit(`${path}/stop_all/`, {})).status).toBe(303)
  })

  test('"Watch it again" succeeds twice when two requests find the watch ended', async () => {
    const { path, recipient, section } = await sent()
    await change('DELETE FROM watch WHERE recipient_id = ?', recipient)
    const [found] = await findLink(env.DB, path.replace('/s/', ''), Date.now())
    if (!found) throw new Error('the link leads nowhere')
    for (const _ of ['first', 'second']) await watchAgain(env.DB, found, trackerStaff.audit, Date.now())
    expect(
      await rows('SELECT section_id FROM watch WHERE recipient_id = ? AND archived_at IS NULL', recipient),
    ).toEqual([{ section_id: section }])
  })

  test('after the watch of a running term that the school no longer offers does not call the term over', async () => {
    const { path, section } = await sent()
    const visitor = new Visitor()
    await visitor.see(path)
    await visitor.submit(`${path}/got_it/`, {})
    await change(
      'UPDATE school_term SET is_available = 0 WHERE id = (SELECT school_term_id FROM section WHERE id = ?)',
      section,
    )
    const { html } = await visitor.see(path)
    expect(html).not.toContain('is over')
    expect(html).not.toContain('Watch it again')
    expect(html).toMatch(/no longer offers (?:<!-- -->)?.*Term/)
  })

  test('"Pass" and a copied number count as seen: a waiting text is canceled, other messages are not', async () => {
    for (const [act, seenBy] of [
      ['pass', 'passed'],
      ['copied', 'copied'],
    ] as const) {
      const [mail, text, other] = await makeDeliveries([
        { kind: 'email', address: addressOf('email') },
        { kind: 'phone', address: addressOf('phone') },
        { kind: 'discord', address: addressOf('discord') },
      ])
      if (!mail || !text || !other) throw new Error('nothing was made')
      await change("UPDATE delivery SET state = 'waiting', due_at = due_at + 60000 WHERE id = ?", text.id)
      await runDelivery(mail.id)
      const { link_code } = await one<{ link_code: string }>('SELECT link_code FROM delivery WHERE id = ?', mail.id)
      const visitor = new Visitor()
      await visitor.see(`/s/${link_code}`)
      await visitor.submit(`/s/${link_code}/${act}/`, {})
      expect((await stateOf(mail.id)).seen_at).toBeGreaterThan(0)
      expect((await stateOf(mail.id)).seen_by).toBe(seenBy)
      expect((await stateOf(text.id)).state).toBe('not_needed')
      expect((await stateOf(other.id)).state).toBe('queued')
    }
  })

  test('opening in a browser is only recorded for display', async () => {
    const { id, path } = await sent()
    const visitor = new Visitor()
    await visitor.see(path)
    expect((await visitor.submit(`${path}/opened/`, {})).status).toBe(204)
    expect(await stateOf(id)).toMatchObject({ state: 'opened', seen_at: null, opened_at: expect.any(Number) })
  })

  test('"Stop all messages" stops every contact of the recipient and cancels unsent messages', async () => {
    const [text, mail] = await makeDeliveries([
      { kind: 'phone', address: addressOf('phone') },
      { kind: 'email', address: addressOf('email') },
    ])
    if (!text || !mail) throw new Error('nothing was made')
    await runDelivery(text.id)
    const { link_code } = await one<{ link_code: string }>('SELECT link_code FROM delivery WHERE id = ?', text.id)
    const visitor = new Visitor()
    await visitor.see(`/s/${link_code}`)
    expect((await visitor.submit(`/s/${link_code}/stop_all/`, {})).status).toBe(303)
    const contacts = await rows<{ opted_out_at: number | null }>(
      'SELECT opted_out_at FROM contact WHERE recipient_id = ?',
      text.recipient,
    )
    expect(contacts.map(({ opted_out_at }) => opted_out_at !== null)).toEqual([true, true])
    expect((await stateOf(mail.id)).state).toBe('canceled')
    expect(
      await rows("SELECT who FROM audit WHERE act = 'stopped all messages' AND row_key = ?", String(text.recipient)),
    ).toEqual([{ who: 'link in a message' }])
    // No one can be promised a message now.
    await change("UPDATE section SET status = 'closed' WHERE id = ?", text.section)
    await visitor.submit(`/s/${link_code}/pass/`, {})
    const { html } = await visitor.see(`/s/${link_code}`)
    expect(html).toContain('reply START')
    expect(html).not.toContain('message you')
    // Links are forwarded: the other contact is notified, with a way to undo it; the contact that the link was sent to
    // is not.
    await expect.poll(() => arrivedAt(mail.address)).toHaveLength(1)
    const [notice = ''] = await arrivedAt(mail.address)
    expect(notice).toContain('to stop all class alerts')
    const [, way = ''] = /(\/notify\/unsubscribe\/\S+)/.exec(notice) ?? []
    expect((await visitor.see(way)).html).toContain('Send me messages again')
    expect(await arrivedAt(text.address)).toHaveLength(1)
    // The recipient's own page undoes it, too.
    const { url } = await getRecipientLink(env, trackerStaff, text.recipient, { isNew: false, now: 0 })
    await visitor.see(new URL(url).pathname)
    await visitor.submit(new URL(url).pathname, { act: 'start' })
    expect(
      await rows('SELECT kind FROM contact WHERE recipient_id = ? AND opted_out_at IS NULL', text.recipient),
    ).toEqual([{ kind: 'email' }])
  })

  test.each([
    ['email', 'open the “Unsubscribe” link'],
    ['push', 'ask the person who set up your alerts'],
  ] as const)('after a stop the page of a message by %s says how to get messages again', async (kind, way) => {
    const { id, recipient } = await makeDelivery(kind, `${kind}@example.com`)
    const code = kind.padEnd(10, '0')
    await change('UPDATE delivery SET link_code = ? WHERE id = ?', code, id)
    await change('UPDATE contact SET opted_out_at = 1 WHERE recipient_id = ?', recipient)
    const { html } = await new Visitor().see(`/s/${code}`)
    expect(html).toContain(way)
  })

  test.each(['removed', 'given another address'])(
    'with the link of a contact that was %s is rejected; the page only shows the class',
    async (what) => {
      const { path, recipient, section } = await sent()
      await change(
        "INSERT INTO contact (recipient_id, kind, address, address_key, created_at) VALUES (?, 'email', ?2, ?2, 0)",
        recipient,
        addressOf('email'),
      )
      const visitor = new Visitor()
      await visitor.see(path)
      const contact = await one<{ id: number }>(
        "SELECT id FROM contact WHERE recipient_id = ? AND kind = 'phone'",
        recipient,
      )
      if (what === 'removed') await removeContact(env.DB, trackerStaff, contact.id, Date.now())
      else
        await change('UPDATE contact SET address = ?2, address_key = ?2 WHERE id = ?1', contact.id, addressOf('phone'))
      for (const act of ['got_it', 'watch_again', 'pass', 'stop_all', 'copied', 'opened'])
        expect((await visitor.submit(`${path}/${act}/`, { section_id: String(section) })).status).toBe(403)
      expect(await rows('SELECT section_id FROM watch WHERE recipient_id = ?', recipient)).toEqual([
        { section_id: section },
      ])
      expect(
        await rows('SELECT 1 FROM contact WHERE recipient_id = ? AND opted_out_at IS NOT NULL', recipient),
      ).toEqual([])
      const { response, html } = await visitor.see(path)
      expect(response.status).toBe(200)
      expect(html).toContain('nothing can be changed here')
      for (const button of ['I got the seat', 'Stop all messages']) expect(html).not.toContain(button)
    },
  )

  test('of a webhook works when staff have written it in another way, and not once it is another one', async () => {
    const { id, recipient, section } = await makeDelivery('discord', 'https://discordapp.com/api/webhooks/123/token')
    await change("UPDATE delivery SET link_code = 'webhook000' WHERE id = ?", id)
    const moveTo = (address: string) =>
      change('UPDATE contact SET address = ?2, address_key = ?2 WHERE recipient_id = ?1', recipient, address)
    const visitor = new Visitor()
    const pass = () => visitor.submit('/s/webhook000/pass/', { section_id: String(section) })
    await moveTo('https://discord.com/api/v10/webhooks/123/token')
    await visitor.see('/s/webhook000')
    expect((await pass()).status).toBe(303)
    await moveTo('https://discordapp.com/api/webhooks/123/other')
    expect((await pass()).status).toBe(403)
  })

  test('from another site, or about a class that the message was not about, is rejected', async () => {
    const { path, recipient } = await sent()
    const visitor = new Visitor()
    await visitor.see(path)
    expect((await visitor.submit(`${path}/got_it/`, { section_id: '999999999' })).status).toBe(404)
    const forged = await visitor.submit(`${path}/stop_all/`, {}, { 'sec-fetch-site': 'cross-site' })
    expect(forged.status).toBe(403)
    expect(await rows('SELECT id FROM watch WHERE recipient_id = ?', recipient)).toHaveLength(1)
  })
})
