import type { Statement } from '../../browser/app.ts'

const hourMs = 3_600_000
const dayMs = 24 * hourMs

type Kind = 'phone' | 'email' | 'discord' | 'push'

interface Address {
  kind: Kind
  address: string
  /** The name of a device. */
  device?: string
  /** Why nothing can be delivered there anymore. */
  broken?: string
}

export interface Person {
  id: number
  name: string
  description: string
  addresses: readonly Address[]
  /** How long ago they were added. */
  days: number
  /** Further columns of their row. */
  more?: Readonly<Record<string, number | string>>
}

const phone = (last: number): Address => ({ kind: 'phone', address: `+1202555${String(last).padStart(4, '0')}` })
const email = (address: string): Address => ({ kind: 'email', address })
const device = (key: string, name: string): Address => ({
  kind: 'push',
  address: `https://web.push.apple.com/${key}`,
  device: name,
})
const webhook = (id: string): Address => ({
  kind: 'discord',
  address: `https://discord.com/api/webhooks/${id}/class-alerts`,
})

export const noNumber = 'The number does not exist or does not accept texts.'
export const noMailbox = 'The mailbox does not exist or does not accept mail.'

/** The recipients. The first replaces the seed's own recipient. */
export const people: readonly Person[] = [
  {
    id: 1,
    name: 'Robin Hale',
    description: 'Advising desk, School of Engineering',
    addresses: [phone(143), email('robin.hale@example.edu'), webhook('1180000000000000101')],
    days: 96,
  },
  {
    id: 10,
    name: 'Amara Okafor',
    description: 'Transfer student, needs one lab before spring',
    addresses: [phone(150), device('amara', 'Safari on iPhone')],
    days: 61,
  },
  { id: 11, name: 'Ben Castillo', description: '', addresses: [email('ben.castillo@example.edu')], days: 44 },
  {
    id: 12,
    name: 'Chiara Rossi',
    description: 'Graduates in May',
    addresses: [phone(152), email('chiara.rossi@example.edu')],
    days: 38,
  },
  {
    id: 13,
    name: 'Computing Society',
    description: 'Posts to #open-seats, 212 members',
    addresses: [webhook('1180000000000000113')],
    days: 33,
  },
  {
    id: 14,
    name: 'Daniel Kim',
    description: '',
    addresses: [device('daniel', 'Chrome on Android'), phone(154)],
    days: 27,
  },
  {
    id: 15,
    name: 'Elif Yılmaz',
    description: 'Exchange student, back home after this year',
    addresses: [email('elif.yilmaz@example.edu')],
    days: 21,
    more: { time_zone: 'America/New_York', quiet_from: 1320, quiet_until: 420 },
  },
  { id: 16, name: 'Marcus Webb', description: 'Evening sections only', addresses: [phone(156)], days: 19 },
  { id: 17, name: 'Noor Haddad', description: '', addresses: [], days: 12 },
  {
    id: 18,
    name: 'Priya Raghunathan',
    description: 'Nursing, second year',
    addresses: [{ ...phone(158), broken: noNumber }],
    days: 9,
  },
  {
    id: 19,
    name: 'Sofia Lindgren',
    description: 'Dual enrollment, Lincoln High School',
    addresses: [phone(159), device('sofia', 'Firefox on Windows'), email('sofia.lindgren@example.edu')],
    days: 5,
  },
  {
    id: 20,
    name: 'Tomás Ferreira',
    description: '',
    addresses: [{ ...email('t.ferreira@example.com'), broken: noMailbox }],
    days: 2,
  },
]

/** The id of a person's contact, by its position in their list. */
export const contactId = (person: Person, place: number): number => person.id * 10 + place

/** The recipients and their contacts. The seed's own recipient is replaced. */
export function peopleSql(now: number): Statement[] {
  return [
    { text: 'DELETE FROM recipient' },
    ...people.map(({ id, name, description, days, more = {} }) => {
      const values = { id, name, description, created_at: now - days * dayMs + id * 61_000, ...more }
      return {
        text: `INSERT INTO recipient (${Object.keys(values).join(', ')}) VALUES (${Object.keys(values)
          .map(() => '?')
          .join(', ')})`,
        values: Object.values(values),
      }
    }),
    ...people.flatMap((person) =>
      person.addresses.map(({ kind, address, device: name = '', broken }, place) => ({
        text: `INSERT INTO contact (id, recipient_id, kind, address, address_key, device, created_at, verified_at,
            undeliverable_at, undeliverable_reason) VALUES (?1, ?2, ?3, ?4, ?4, ?5, ?6, ?7, ?8, ?9)`,
        values: [
          contactId(person, place),
          person.id,
          kind,
          address,
          name,
          now - person.days * dayMs + 2 * hourMs,
          broken === undefined && kind === 'phone' ? now - dayMs : null,
          broken === undefined ? null : now - 5 * hourMs,
          broken ?? null,
        ],
      })),
    ),
  ]
}
