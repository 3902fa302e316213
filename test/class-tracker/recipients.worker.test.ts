import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, test } from 'vitest'
import { AddRecipient, GetRecipientForm, type Recipient } from '../../src/class-tracker/recipients/contract.ts'
import { listRecipients } from '../../src/class-tracker/recipients/list-recipients.ts'
import { saveRecipient } from '../../src/class-tracker/recipients/save-recipient.ts'
import { makeGroup, makeRecipient, makeSection, makeWatch } from '../worker/catalog.ts'
import { addressOf } from '../worker/deliveries.ts'
import { rows } from '../worker/rows.ts'
import { addUser, browserOf, type Visitor } from '../worker/visitor.ts'
import { watchedDatabase } from '../worker/watched-database.ts'
import { strict } from '../worker/strict.ts'
import { trackerStaff } from '../worker/tracker-staff.ts'

let staff: Visitor

beforeAll(async () => {
  staff = await browserOf(await addUser({ isSuperuser: true }))
})

async function save(id: number, fields: Record<string, string>) {
  const response = await staff.call('POST', `/class_tracker/add_recipient/${id}`, fields)
  return { status: response.status, answer: strict(AddRecipient).parse(await response.json()) }
}

async function added(fields: Record<string, string>): Promise<Recipient> {
  const { status, answer } = await save(0, fields)
  expect(status).toBe(200)
  if (!answer.recipient) throw new Error('no recipient')
  return answer.recipient
}

const errorsOf = (form: AddRecipient['recipient_form'] | undefined) =>
  Object.fromEntries((form?.fields ?? []).filter(({ error }) => error !== '').map(({ name, error }) => [name, error]))

async function formsOf(id: number) {
  const response = await staff.call('GET', `/class_tracker/get_recipient_form/${id}`)
  expect(response.status).toBe(200)
  return strict(GetRecipientForm).parse(await response.json())
}

/** What a browser sends if nothing in the forms was changed. */
function asBrowser(forms: GetRecipientForm): Record<string, string> {
  const all = [forms.recipient_form, ...forms.contact_info_forms, forms.new_contact_info_form]
  const fields = all.flatMap((form) => [...form.hidden_fields, ...form.fields])
  return Object.fromEntries(
    fields
      .filter(({ widget, value }) => widget.attrs['type'] !== 'checkbox' || value === 'on')
      .map(({ name, value }) => [name, value]),
  )
}

test('a search finds a device by its name, not by its address', async () => {
  const recipient = await makeRecipient([{ kind: 'push', address: 'https://push.example/qzqzqz#key.secret' }])
  await rows("UPDATE contact SET device = 'Firefox on Tizen' WHERE recipient_id = ?", recipient)
  const found = async (search: string) =>
    (await listRecipients(env, { page: 1, search }, Date.now())).recipients.map(({ id }) => id)
  expect(await found('qzqzqz')).toEqual([])
  expect(await found('tizen')).toEqual([recipient])
})

describe('a recipient', () => {
  test('is added with a contact that is enabled and can be messaged', async () => {
    const recipient = await added({
      'recipient-name': ' Ada  Lovelace ',
      'contact-new-kind': 'phone',
      'contact-new-number': '(202) 555-0143',
    })
    expect(recipient).toEqual({
      id: expect.any(Number),
      name: 'Ada Lovelace',
      description: '',
      is_contact_by_phone: true,
      phone_numbers: [
        {
          id: expect.any(Number),
          kind: 'phone',
          number: '+12025550143',
          is_enabled: true,
          verified: false,
          opted_out: false,
          undeliverable: null,
        },
      ],
      watched_sections: [],
      watched_count: 0,
    })
  })

  test('gets the values that were sent, and keeps its sections', async () => {
    const group = await makeGroup()
    const id = await makeRecipient([{ kind: 'phone', address: '+12025550110' }])
    await makeWatch(id, await makeSection(group, '10001'))
    const { status, answer } = await save(id, {
      'recipient-name': 'Grace',
      'recipient-description': 'a\r\nb',
      'recipient-is_contact_by_phone': 'off',
    })
    expect(status).toBe(200)
    expect(answer).toMatchObject({ recipient_form: null, contact_info_forms: [], new_contact_info_form: null })
    expect(answer.recipient).toMatchObject({
      id,
      name: 'Grace',
      description: 'a\nb',
      is_contact_by_phone: false,
      watched_sections: [{ number: '10001' }],
    })
    expect(answer.recipient?.phone_numbers).toMatchObject([{ number: '+12025550110', is_enabled: true }])
  })

  test('is unchanged if its forms are sent unchanged', async () => {
    const address = addressOf('discord')
    const id = await makeRecipient([
      { kind: 'phone', address: '+12025550111' },
      { kind: 'discord', address },
    ])
    await env.DB.prepare('UPDATE contact SET is_enabled = 0, verified_at = 5, opted_out_at = 6 WHERE recipient_id = ?')
      .bind(id)
      .run()
    const before = await rows('SELECT * FROM contact WHERE recipient_id = ?', id)
    expect((await save(id, asBrowser(await formsOf(id)))).status).toBe(200)
    expect(await rows('SELECT * FROM contact WHERE recipient_id = ?', id)).toEqual(before)
  })

  test('can have several contacts of any kind', async () => {
    const { id } = await added({ 'recipient-name': 'Many', 'contact-new-number': '2025550120' })
    const webhook = addressOf('discord')
    for (const [kind, number] of [
      ['email', 'many@Example.com'],
      ['discord', webhook],
      ['phone', '2025550121'],
    ] as const) {
      expect(
        (await save(id, { 'recipient-name': 'Many', 'contact-new-kind': kind, 'contact-new-number': number })).status,
      ).toBe(200)
    }
    const forms = await formsOf(id)
    expect(forms.contact_info_forms.map(({ fields }) => fields.map(({ value }) => value))).toEqual([
      ['phone', '+12025550120', 'on'],
      ['email', 'many@example.com', 'on'],
      ['discord', webhook, 'on'],
      ['phone', '+12025550121', 'on'],
    ])
  })
})

describe('an error', () => {
  test('is shown at its field with 422, with everything filled in as typed, and nothing is written', async () => {
    const id = await makeRecipient([{ kind: 'phone', address: '+12025550130' }])
    const [contact] = await rows<{ id: number }>('SELECT id FROM contact WHERE recipient_id = ?', id)
    const { status, answer } = await save(id, {
      'recipient-name': '',
      'recipient-description': 'kept',
      [`contact-${contact?.id}-number`]: '12',
      'contact-new-kind': 'email',
      'contact-new-number': 'nobody@',
      'contact-new-is_enabled': 'off',
    })
    expect(status).toBe(422)
    expect(answer.recipient).toBeNull()
    expect(errorsOf(answer.recipient_form)).toEqual({ 'recipient-name': 'This field is required.' })
    expect(answer.contact_info_forms).toHaveLength(1)
    expect(answer.contact_info_forms[0]?.contact_id).toBe(contact?.id)
    expect(errorsOf(answer.contact_info_forms[0])).toEqual({
      [`contact-${contact?.id}-number`]: expect.stringContaining('valid phone number'),
    })
    expect(errorsOf(answer.new_contact_info_form)).toEqual({ 'contact-new-number': 'Enter a valid email address.' })
    expect(answer.new_contact_info_form?.fields.map(({ value }) => value)).toEqual(['email', 'nobody@', ''])
    expect(answer.recipient_form?.fields.map(({ value }) => value)).toEqual(['', 'kept', 'on'])
    expect(answer.recipient_form?.hidden_fields[0]).toMatchObject({ name: 'csrf_token', value: staff.csrfToken })
    expect(await rows('SELECT address FROM contact WHERE recipient_id = ?', id)).toEqual([{ address: '+12025550130' }])
  })

  test("prevents using another recipient's contact", async () => {
    const [mine, theirs] = [await makeRecipient(), await makeRecipient([{ kind: 'phone', address: '+12025550131' }])]
    const [contact] = await rows<{ id: number }>('SELECT id FROM contact WHERE recipient_id = ?', theirs)
    for (const id of [mine, 0]) {
      const { status, answer } = await save(id, {
        'recipient-name': 'Eve',
        [`contact-${contact?.id}-number`]: '2025550132',
      })
      expect(status).toBe(422)
      expect(answer.recipient_form?.non_field_errors).toEqual([
        `Contact ${contact?.id} no longer belongs to this recipient.`,
      ])
    }
    expect(await rows('SELECT recipient_id, address FROM contact WHERE id = ?', contact?.id)).toEqual([
      { recipient_id: theirs, address: '+12025550131' },
    ])
  })

  test("prevents using another recipient's number, in any spelling", async () => {
    await added({ 'recipient-name': 'Owner', 'contact-new-number': '+1 (202) 555-0133' })
    const { status, answer } = await save(0, { 'recipient-name': 'Late', 'contact-new-number': '202-555-0133' })
    expect(status).toBe(422)
    expect(errorsOf(answer.new_contact_info_form)).toEqual({
      'contact-new-number': 'This contact already belongs to Owner.',
    })
    expect(await rows("SELECT id FROM recipient WHERE name = 'Late'")).toEqual([])
  })

  test('prevents using a number that another request took between read and write', async () => {
    const id = await makeRecipient()
    const DB = watchedDatabase({
      before: async (trip) => {
        if (trip === 2) await makeRecipient([{ kind: 'phone', address: '+12025550134' }])
      },
    })
    const form = new FormData()
    form.append('recipient-name', 'Late')
    form.append('contact-new-number', '2025550134')
    const { is_saved, answer } = await saveRecipient(
      { DB, DISCORD_API_URL: env.DISCORD_API_URL },
      trackerStaff,
      { recipientId: id, posted: form, csrfToken: '' },
      0,
    )
    expect(is_saved).toBe(false)
    expect(errorsOf(answer.new_contact_info_form)).toEqual({
      'contact-new-number': expect.stringMatching(/^This contact already belongs to Recipient/),
    })
    expect(await rows('SELECT name FROM recipient WHERE id = ?', id)).not.toEqual([{ name: 'Late' }])
  })

  test('prevents two simultaneous requests from getting the same number', async () => {
    const sent = Array.from({ length: 8 }, (_, index) =>
      save(0, { 'recipient-name': `Racer ${index}`, 'contact-new-number': '2025550135' }),
    )
    const statuses = (await Promise.all(sent)).map(({ status }) => status)
    expect(statuses.filter((status) => status === 200)).toHaveLength(1)
    expect(statuses.filter((status) => status === 422)).toHaveLength(7)
    expect(await rows("SELECT id FROM recipient WHERE name LIKE 'Racer%'")).toHaveLength(1)
  })
})

describe('a form that someone else has overtaken', () => {
  /** A recipient whose forms were opened, and what a browser then sends. */
  async function opened() {
    const [phone, mail] = [addressOf('phone'), addressOf('email')]
    const id = await makeRecipient([
      { kind: 'phone', address: phone },
      { kind: 'email', address: mail },
    ])
    const contacts = () =>
      rows<{ id: number; address: string; is_enabled: number }>('SELECT * FROM contact WHERE recipient_id = ?', id)
    const [first, second] = (await contacts()).map((contact) => contact.id)
    return { id, phone, mail, contacts, first, second, forms: await formsOf(id) }
  }
  const overtaken =
    'Someone else changed this recipient after you opened it. Your values are below, each with the current one. Save again to keep yours.'

  test('keeps a number that was corrected, shows it, and saves what was typed when it is sent again', async () => {
    const { id, phone, contacts, first, forms } = await opened()
    const corrected = addressOf('phone')
    await rows('UPDATE contact SET address = ?1, address_key = ?1 WHERE id = ?2', corrected, first)
    await rows("UPDATE recipient SET description = 'Evenings' WHERE id = ?", id)
    const typed = { ...asBrowser(forms), 'recipient-name': 'Ada L.', 'recipient-description': 'Mornings' }
    const { status, answer } = await save(id, typed)
    expect(status).toBe(422)
    expect(answer.recipient_form?.non_field_errors).toEqual([overtaken])
    expect(errorsOf(answer.recipient_form)).toEqual({
      'recipient-name': expect.stringMatching(/^Current value: “Recipient \d+”\.$/),
      'recipient-description': 'Current value: “Evenings”.',
    })
    expect(errorsOf(answer.contact_info_forms[0])).toEqual({
      [`contact-${first}-number`]: `Current value: “${corrected}”.`,
    })
    expect(errorsOf(answer.contact_info_forms[1])).toEqual({})
    expect((await contacts())[0]).toMatchObject({ address: corrected })
    if (!answer.recipient_form || !answer.new_contact_info_form) throw new Error('no forms')
    const again = asBrowser({
      recipient_form: answer.recipient_form,
      contact_info_forms: answer.contact_info_forms,
      new_contact_info_form: answer.new_contact_info_form,
    })
    expect(again).toMatchObject({ 'recipient-description': 'Mornings', [`contact-${first}-number`]: phone })
    expect((await save(id, again)).answer.recipient).toMatchObject({ name: 'Ada L.', description: 'Mornings' })
    expect((await contacts())[0]).toMatchObject({ address: phone })
  })

  test('does not turn on a contact that its owner has turned off', async () => {
    const { id, mail, contacts, second, forms } = await opened()
    await rows('UPDATE contact SET is_enabled = 0 WHERE id = ?', second)
    const { status, answer } = await save(id, asBrowser(forms))
    expect(status).toBe(422)
    expect(answer.recipient_form?.non_field_errors).toEqual([overtaken])
    expect(answer.contact_info_forms[1]?.non_field_errors).toEqual([`${mail} is turned off now.`])
    expect(await contacts()).toMatchObject([{ is_enabled: 1 }, { is_enabled: 0 }])
  })

  test('does not allow texts that were turned off', async () => {
    const { id, forms } = await opened()
    await rows('UPDATE recipient SET is_contact_by_phone = 0 WHERE id = ?', id)
    const { answer } = await save(id, asBrowser(forms))
    expect(answer.recipient_form?.non_field_errors).toEqual([overtaken, 'Contact by phone is turned off now.'])
    expect(await rows('SELECT is_contact_by_phone FROM recipient WHERE id = ?', id)).toEqual([
      { is_contact_by_phone: 0 },
    ])
  })

  test('is saved if nothing in it contradicts the other change, and if it is sent twice', async () => {
    const { id, contacts, second, forms } = await opened()
    const typed = { ...asBrowser(forms), 'recipient-name': 'Ada' }
    const withoutMail = Object.fromEntries(
      Object.entries(typed).filter(([name]) => !name.startsWith(`contact-${second}-`)),
    )
    await staff.call('POST', `/class_tracker/remove_contact/${second}`)
    expect((await save(id, withoutMail)).status).toBe(200)
    expect((await save(id, withoutMail)).status).toBe(200)
    expect(await contacts()).toHaveLength(1)
  })

  test('in the moment of saving keeps contacts that were not sent, and addresses that were not typed', async () => {
    const { id, mail, first } = await opened()
    const [devices] = await rows<{ id: number }>(
      "INSERT INTO contact (recipient_id, kind, address, address_key, created_at) VALUES (?1, 'push', ?2, ?2, 0) RETURNING id",
      id,
      `https://web.push.apple.com/${id}`,
    )
    const address = `https://web.push.apple.com/${id}-moved`
    const DB = watchedDatabase({
      before: async (trip) => {
        if (trip !== 2) return
        await rows('UPDATE contact SET address = ?1, address_key = ?1 WHERE id = ?2', address, devices?.id)
        await rows('UPDATE contact SET is_enabled = 0 WHERE id = ?', first)
      },
    })
    const posted = new FormData()
    posted.append('recipient-name', 'Ada')
    posted.append(`contact-${devices?.id}-is_enabled`, 'off')
    await saveRecipient(
      { DB, DISCORD_API_URL: env.DISCORD_API_URL },
      trackerStaff,
      { recipientId: id, posted, csrfToken: '' },
      0,
    )
    expect(await rows('SELECT address, is_enabled FROM contact WHERE recipient_id = ? ORDER BY id', id)).toEqual([
      { address: expect.any(String), is_enabled: 0 },
      { address: mail, is_enabled: 1 },
      { address, is_enabled: 0 },
    ])
  })
})
