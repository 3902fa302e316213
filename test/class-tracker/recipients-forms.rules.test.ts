import { describe, expect, test } from 'vitest'
import type { ContactKind } from '../../src/lib/contract.ts'
import { checkForms, parseAddress } from '../../src/class-tracker/recipients/check-forms.ts'
import { readPostedForms } from '../../src/class-tracker/recipients/posted-form.ts'
import { newRecipient, recipientForms } from '../../src/class-tracker/recipients/recipient-form.ts'

const discordApi = 'http://localhost:8788/discord/api'
const parse = (kind: 'phone' | 'email' | 'discord', typed: string) => parseAddress(kind, typed, discordApi)

function posted(fields: Record<string, string>): FormData {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.append(name, value)
  return form
}

const check = (fields: Record<string, string>, known: Parameters<typeof checkForms>[1] = null) =>
  checkForms(readPostedForms(posted(fields)), known, discordApi)

describe('phone number', () => {
  test.each([
    ['(202) 555-0143', '+12025550143'],
    ['202.555.0143', '+12025550143'],
    ['1 202 555 0143', '+12025550143'],
    ['+44 7911 123456', '+447911123456'],
    ['２０２５５５０１４３', '+12025550143'],
    ['+1 (202) 555‑0143', '+12025550143'],
    ['011 44 7911 123456', '+447911123456'],
    ['+44 (0)7911 123456', '+447911123456'],
  ])('%s is stored as %s', (typed, stored) => {
    expect(parse('phone', typed)).toEqual({ address: stored, key: stored })
  })

  test.each([
    'abc',
    '123',
    '911',
    '+1202555014',
    '+10000000000',
    '+99912345',
    'call 2025550143',
    '2025550143 ext 5',
    '2025550143\u0000',
    '💥',
    '9'.repeat(41),
  ])('%j is refused', (typed) => {
    expect(parse('phone', typed)).toEqual({ error: expect.any(String) })
  })
})

describe('email address', () => {
  test.each([
    [' Ada.Lovelace+seats@EXAMPLE.com ', 'Ada.Lovelace+seats@example.com', 'ada.lovelace+seats@example.com'],
    ['ADA@EXAMPLE.COM', 'ADA@example.com', 'ada@example.com'],
    ['Ａda@example.com', 'Ada@example.com', 'ada@example.com'],
    ['ada@bücher.example', 'ada@xn--bcher-kva.example', 'ada@xn--bcher-kva.example'],
    ['Ada@BÜCHER.example', 'Ada@xn--bcher-kva.example', 'ada@xn--bcher-kva.example'],
    ['ada@XN--BCHER-KVA.example', 'ada@xn--bcher-kva.example', 'ada@xn--bcher-kva.example'],
  ])('%s is stored as %s and is %s', (typed, stored, key) => {
    expect(parse('email', typed)).toEqual({ address: stored, key })
  })

  test.each([
    'ada',
    'ada@',
    '@example.com',
    'ada@example',
    'ada@127.0.0.1',
    'a b@example.com',
    'ada@example.com\nBcc: eve@example.com',
    'ada@exa mple.com',
    'ada..b@example.com',
    '"ada"@example.com',
    'ada@example.com,eve@example.com',
    'ada@-example.com',
    `${'a'.repeat(65)}@example.com`,
    `a@${'b'.repeat(250)}.com`,
  ])('%j is refused', (typed) => {
    expect(parse('email', typed)).toEqual({ error: expect.any(String) })
  })
})

describe('Discord webhook', () => {
  test('is the same in every spelling', () => {
    const keys = [
      'https://discord.com/api/webhooks/123456789/AbC-_9',
      'https://discordapp.com/api/webhooks/123456789/AbC-_9',
      'https://canary.discord.com/api/v10/webhooks/123456789/AbC-_9/',
      `${discordApi}/webhooks/123456789/AbC-_9`,
      'https://discord.com/api/webhooks/123456789/AbC-_9/.',
      'https://discord.com/api/webhooks/123456789/AbC-_9/%2E',
      'https://discord.com/api/webhooks/123456789/other/../AbC-_9',
      'https://discord.com/api/./webhooks/1/%2e%2e/123456789/AbC-_9',
      String.raw`https:\\discord.com\api\webhooks\123456789\AbC-_9`,
      'HTTPS://DISCORD.COM:443/api/webhooks/123456789/AbC-_9',
    ].map((typed) => parse('discord', typed))
    expect(keys.map((parsed) => 'key' in parsed && parsed.key)).toEqual(Array(10).fill('123456789/AbC-_9'))
  })

  test.each([
    'https://evil.example/api/webhooks/1/a',
    'http://discord.com/api/webhooks/1/a',
    'https://discord.com.evil.example/api/webhooks/1/a',
    'https://discord.com/api/webhooks/1',
    'https://discord.com/api/webhooks/1/a?wait=true',
    'https://user@discord.com/api/webhooks/1/a',
    'http://localhost:8788/_world/faults',
    'javascript:alert(1)',
  ])('%s is refused', (typed) => {
    expect(parse('discord', typed)).toEqual({ error: expect.any(String) })
  })
})

describe('forms', () => {
  test('offer a new contact that is enabled, with texts allowed', () => {
    const forms = recipientForms({ recipient: newRecipient, recipient_errors: {}, contacts: [] }, 'token')
    expect(forms.new_contact_info_form.fields.map(({ name, label, value }) => [name, label, value])).toEqual([
      ['contact-new-kind', 'Kind', 'phone'],
      ['contact-new-number', 'Phone Number', ''],
      ['contact-new-is_enabled', 'Enabled', 'on'],
    ])
    expect(forms.recipient_form.fields.map(({ name, label, value }) => [name, label, value])).toEqual([
      ['recipient-name', 'Name', ''],
      ['recipient-description', 'Description', ''],
      ['recipient-is_contact_by_phone', 'Allow Contact by Phone', 'on'],
    ])
    expect(forms.recipient_form.fields[2]?.help_text).toBe('Off: no texts. Email and Discord still work.')
    expect(forms.recipient_form.hidden_fields[0]).toMatchObject({ name: 'csrf_token', value: 'token' })
    expect(forms.contact_info_forms).toEqual([])
  })

  test("label the address according to the contact's kind", () => {
    const values = ['phone', 'email', 'discord'].map((kind) => ({ kind, number: '', is_enabled: true }))
    const contacts = values.map((one, index) => ({ id: index + 1, values: one, errors: {} }))
    const filled = { recipient: newRecipient, recipient_errors: {}, contacts }
    const { contact_info_forms: forms } = recipientForms(filled, 'token')
    expect(forms.map(({ fields }) => fields[1]?.label)).toEqual(['Phone Number', 'Email Address', 'Webhook URL'])
    for (const { fields } of forms) {
      const [kind, number] = fields
      const { shape } = kind?.widget.subwidgets.find(({ selected }) => selected) ?? {}
      expect(shape).toEqual({
        name: number?.name,
        label: number?.label,
        help_text: number?.help_text,
        inputmode: number?.widget.attrs['inputmode'],
      })
    }
  })

  test('treat a new contact as enabled unless its checkbox was present and unchecked', () => {
    const contact = { 'recipient-name': 'Ada', 'contact-new-number': '2025550143' }
    const enabled = (fields: Record<string, string>) => check({ ...contact, ...fields }).contacts[0]?.values.is_enabled
    expect(enabled({})).toBe(true)
    expect(enabled({ 'contact-new-is_enabled': 'on' })).toBe(true)
    expect(enabled({ 'contact-new-is_enabled': 'off' })).toBe(false)
    expect(enabled({ 'contact-new-is_enabled': '' })).toBe(false)
    const form = posted({ ...contact, 'contact-new-is_enabled': 'off' })
    form.append('contact-new-is_enabled', 'on')
    expect(checkForms(readPostedForms(form), null, discordApi).contacts[0]?.values.is_enabled).toBe(true)
  })

  test('ignore an untouched new contact', () => {
    const untouched = { 'contact-new-kind': 'phone', 'contact-new-number': '  ', 'contact-new-is_enabled': 'on' }
    expect(check({ 'recipient-name': 'Ada', ...untouched })).toMatchObject({ is_valid: true, contacts: [] })
  })

  test('require the number of a new contact with a kind', () => {
    const checked = check({ 'recipient-name': 'Ada', 'contact-new-kind': 'email' })
    expect(checked).toMatchObject({ is_valid: false, contacts: [{ errors: { number: 'This field is required.' } }] })
  })

  test.each(['', '   ', '\u200b\u200b', '\u0000'])('require a name in %j', (name) => {
    expect(check({ 'recipient-name': name })).toMatchObject({ recipient_errors: { name: 'This field is required.' } })
  })

  test('count code points: a name may have 100', () => {
    expect(check({ 'recipient-name': '🎓'.repeat(100) }).is_valid).toBe(true)
    expect(check({ 'recipient-name': '🎓'.repeat(101) }).is_valid).toBe(false)
    expect(check({ 'recipient-name': 'Ada', 'recipient-description': 'x'.repeat(1001) }).is_valid).toBe(false)
  })

  test('reject an unknown kind', () => {
    const fields = { 'recipient-name': 'Ada', 'contact-new-kind': 'fax', 'contact-new-number': '2025550143' }
    expect(check(fields).contacts[0]?.errors).toEqual({ kind: 'Select a valid choice.' })
  })

  const knownContact = (id: number, kind: ContactKind, address: string) => ({
    id,
    recipient_id: 1,
    kind,
    address,
    address_key: address,
    device: '',
    is_enabled: true,
    verified_at: null,
    opted_out_at: null,
    undeliverable_at: null,
    undeliverable_reason: null,
  })
  const known = {
    recipient: { id: 1, name: 'Ada', description: 'Reads', is_contact_by_phone: true, paused_until: null },
    contacts: [knownContact(1, 'phone', '+12025550143'), knownContact(2, 'email', 'ada@example.com')],
  }

  test('let no one type a device, or turn another contact into one', () => {
    const fields = {
      'recipient-name': 'Ada',
      'contact-new-kind': 'push',
      'contact-new-number': 'https://web.push.apple.com/a',
    }
    expect(check(fields).contacts[0]?.errors).toEqual({ kind: 'Select a valid choice.' })
    const changed = check({ 'recipient-name': 'Ada', 'contact-1-kind': 'push', 'contact-1-number': 'x' }, known)
    expect(changed.contacts[0]?.errors).toEqual({ kind: 'Select a valid choice.' })
  })

  test('turn a device off and change nothing else about it', () => {
    const device = { ...knownContact(3, 'push', 'https://web.push.apple.com/a#k.s'), device: 'Safari on iPhone' }
    const fields = {
      'recipient-name': 'Ada',
      'contact-3-kind': 'email',
      'contact-3-number': 'ada@example.org',
      'contact-3-is_enabled': 'off',
    }
    const checked = check(fields, { ...known, contacts: [device] })
    expect(checked.is_valid).toBe(true)
    expect(checked.contacts).toMatchObject([
      {
        values: { kind: 'push', is_enabled: false },
        address: device.address,
        key: device.address_key,
        is_moved: false,
      },
    ])
  })

  test('preserve fields that were not sent', () => {
    const checked = check({ 'recipient-name': 'Ada L.' }, known)
    expect(checked).toMatchObject({
      is_valid: true,
      recipient: { name: 'Ada L.', description: 'Reads', is_contact_by_phone: true },
    })
    expect(checked.contacts.map((contact) => [contact.address, contact.values.is_enabled, contact.is_moved])).toEqual([
      ['+12025550143', true, false],
      ['ada@example.com', true, false],
    ])
  })

  test('distinguish a corrected number from a different spelling', () => {
    const moved = (number: string) =>
      check({ 'recipient-name': 'Ada', 'contact-1-number': number }, known).contacts[0]?.is_moved
    expect(moved('(202) 555-0143')).toBe(false)
    expect(moved('(202) 555-0144')).toBe(true)
  })

  test("reject another recipient's contact, and a duplicate number", () => {
    expect(check({ 'recipient-name': 'Ada', 'contact-3-number': '2025550199' }, known)).toMatchObject({
      is_valid: false,
      recipient_errors: { form: ['Contact 3 no longer belongs to this recipient.'] },
    })
    expect(check({ 'recipient-name': 'Ada', 'contact-new-number': '2025550143' }, known).contacts[2]?.errors).toEqual({
      number: 'This recipient already has this contact.',
    })
  })

  test('reject an eleventh contact', () => {
    const contacts = Array.from({ length: 10 }, (_, index) =>
      knownContact(index + 1, 'phone', `+120255501${index + 10}`),
    )
    const checked = check({ 'recipient-name': 'Ada', 'contact-new-number': '2025550143' }, { ...known, contacts })
    expect(checked.contacts.at(-1)?.errors.form).toEqual(['A recipient has at most 10 contacts.'])
  })
})
