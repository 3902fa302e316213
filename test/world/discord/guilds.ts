import { ABOUT, NICKNAMES } from './about.ts'
import { words } from './numbers.ts'

/** A Discord server, and the invite that leads to it. */
export interface Guild {
  id: string
  name: string
  description: string | null
  members: number
  online: number
  /** The hash in its icon's address; null shows letters instead. */
  icon: string | null
  /** Its permanent invite. */
  code: string
  /** The campus and class it is for; null if it is for no class. */
  for: { campus: string; className: string } | null
}

/** Its members may sign up without a referral; the app's seed marks it so. */
export const TRUSTED_GUILD_ID = '1190000000000000001'
const FIRST_CLASS_GUILD = 1_190_000_000_000_000_100n

const CAMPUSES = ['Harbor State', 'Northfield Tech', 'Queens College'] as const
const CLASSES = [
  'Calculus I',
  'Calculus II',
  'Linear Algebra',
  'Data Structures',
  'Operating Systems',
  'Intro to Programming',
  'General Chemistry',
  'Organic Chemistry',
  'Physics for Engineers',
  'Biology 101',
  'Microeconomics',
  'Accounting',
  'World History',
  'Psychology',
  'English Composition',
  'Statistics',
] as const

function guildOf(id: string, usual: string, description: string | null, of: Guild['for'] = null): Guild {
  const code = usual.toLowerCase().replace(/[^a-z0-9]+/g, '-')
  const name = NICKNAMES[code] ?? usual
  const figure = words(id)
  // Most are small, a few have thousands.
  const members = id === TRUSTED_GUILD_ID ? 2140 : Math.round(24 * 100 ** ((figure(0) % 1000) / 1000))
  return {
    id,
    name,
    description,
    members,
    online: Math.max(3, Math.floor((members * (8 + (figure(1) % 25))) / 100)),
    icon:
      figure(2) % 7 === 5
        ? null
        : `${figure(3).toString(16).padStart(8, '0')}${figure(4).toString(16).padStart(8, '0')}`,
    code,
    for: of,
  }
}

/** One server per class and campus, the trusted one, and one that is unrelated to classes. */
export const GUILDS: readonly Guild[] = [
  guildOf(TRUSTED_GUILD_ID, 'Campus Commons', 'Where students of all our campuses meet'),
  guildOf('1190000000000000002', 'Board Game Night', null),
  ...CAMPUSES.flatMap((campus, place) =>
    CLASSES.map((className, number) => {
      const id = String(FIRST_CLASS_GUILD + BigInt(place * 100 + number))
      return guildOf(id, `${campus} ${className}`, ABOUT[className]?.[place] ?? null, { campus, className })
    }),
  ),
]

export function findGuild(id: string): Guild | undefined {
  return GUILDS.find((guild) => guild.id === id)
}
