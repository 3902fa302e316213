import { GUILDS, TRUSTED_GUILD_ID, type Guild } from '../discord/guilds.ts'
import { insert, quoted } from './sql.ts'

const DAY = 24 * 3600_000
const MINUTE = 60_000
const HOUR = 3600_000

/** The campuses that the guilds are named after, and the catalog's names for them. */
const CAMPUSES: Readonly<Record<string, string>> = {
  'Harbor State': 'Harbor State University',
  'Northfield Tech': 'Northfield Technical University',
  'Queens College': 'Queens College',
}

/** What a class's server is for: subject and course as the schools call them. */
const CLASSES: Readonly<Record<string, readonly [subject: string, course: string]>> = {
  'Calculus I': ['Mathematics', 'Calculus I'],
  'Calculus II': ['Mathematics', 'Calculus II'],
  'Linear Algebra': ['Mathematics', 'Linear Algebra'],
  'Data Structures': ['Computer Science', 'Data Structures & Algorithms'],
  'Operating Systems': ['Computer Science', 'Operating Systems'],
  'Intro to Programming': ['Computer Science', 'Intro to Programming'],
  'General Chemistry': ['Chemistry & Biochemistry', 'General Chemistry'],
  'Organic Chemistry': ['Chemistry & Biochemistry', 'Organic Chemistry I'],
  'Physics for Engineers': ['Physics & Astronomy', 'General Physics I'],
  'Biology 101': ['Biology', 'Principles of Biology'],
  Microeconomics: ['Economics', 'Microeconomics'],
  Accounting: ['Accounting', 'Financial Accounting'],
  'World History': ['History', 'The Ancient World'],
  Psychology: ['Psychology', 'Introduction to Psychology'],
  'English Composition': ['English', 'College Writing'],
  Statistics: ['Statistics & Data Science', 'Elementary Statistics'],
}

const NOTES = [
  '',
  '**Read the rules first**, then say hello in #introductions.',
  'Problem sets are discussed on *Thursdays*.\n\n- notes of last term\n- old exams',
  'Ask for the `student` role. More on [the course page](https://example.edu/course).',
] as const

/** This many of each campus's guilds are listed; the next one waits for approval, the rest no one has submitted. */
const LISTED_PER_CAMPUS = 13

/** Listed last, in this order: what the front page shows. */
const NEWEST = [
  'harbor-state-physics-for-engineers',
  'queens-college-data-structures',
  'northfield-tech-general-chemistry',
  'northfield-tech-intro-to-programming',
]

/** Students without a persona: they only submit. */
const SUBMITTERS = [
  { name: 'Jordan Avery', discordId: '1170000000000000901' },
  { name: 'Casey Okafor', discordId: '1170000000000000902' },
] as const

const schoolId = (school: string): string =>
  `(SELECT id FROM school WHERE name = ${quoted(school)} ORDER BY id LIMIT 1)`
const guildRow = (guild: Guild): string => `(SELECT id FROM discord_server WHERE server_id = ${quoted(guild.id)})`
const discordUserWith = (discordId: string): string =>
  `(SELECT id FROM discord_user WHERE discord_id = ${quoted(discordId)})`
const byRole = (role: string): string =>
  `(SELECT id FROM discord_user WHERE role = ${quoted(role)} ORDER BY id LIMIT 1)`

function server(
  guild: Guild,
  options: { isPrivate: boolean; isFeatured: boolean; at: number; countedAt: number },
): string {
  return insert('discord_server', {
    server_id: guild.id,
    name: guild.name,
    description: guild.description ?? '',
    icon: guild.icon,
    member_count: guild.members,
    online_count: guild.online,
    online_counted_at: options.countedAt,
    privacy_level: options.isPrivate ? 'private' : 'public',
    is_required_for_trust: options.isFeatured ? 1 : 0,
    is_general_server: guild.id === TRUSTED_GUILD_ID ? 1 : 0,
    created_at: options.at,
  })
}

function invite(
  guild: Guild,
  options: {
    code: string
    by: string
    school: string | null
    notes: string
    isApproved: boolean
    isPrivate: boolean
    isValid: boolean
    at: number
    dueAt: number
  },
): string {
  const { code, by, school, notes, isApproved, isPrivate, isValid, at, dueAt } = options
  return `INSERT INTO invite (code, server_id, submitter_id, state, notes_md, privacy_level, school_id, is_valid, created_at, decided_at, decided_by, checked_at, due_at)
    VALUES (${quoted(code)}, ${guildRow(guild)}, ${by}, ${quoted(isApproved ? 'approved' : 'pending')}, ${quoted(notes)},
    ${quoted(isPrivate ? 'private' : 'public')}, ${school === null ? 'NULL' : schoolId(school)}, ${isValid ? 1 : 0}, ${at},
    ${isApproved ? at : 'NULL'}, ${isApproved ? byRole('manager') : 'NULL'}, ${at}, ${dueAt});`
}

/** What a class's server belongs to, as far as the catalog has it. */
function links(guild: Guild, school: string): string[] {
  const [subject, course] = CLASSES[guild.for?.className ?? ''] ?? ['', '']
  const ofSchool = `u.school_id = ${schoolId(school)} AND u.name = ${quoted(subject)}`
  return [
    `INSERT INTO server_school (server_id, school_id) SELECT ${guildRow(guild)}, id FROM school WHERE id = ${schoolId(school)};`,
    `INSERT INTO server_subject (server_id, subject_id) SELECT ${guildRow(guild)}, u.id FROM subject u WHERE ${ofSchool};`,
    `INSERT INTO server_course (server_id, course_id) SELECT ${guildRow(guild)}, c.id FROM course c JOIN subject u ON u.id = c.subject_id
      WHERE ${ofSchool} AND c.title = ${quoted(course)} ORDER BY c.code, c.level LIMIT 1;`,
  ]
}

function submitter({ name, discordId }: (typeof SUBMITTERS)[number], now: number): string[] {
  const [username] = name.toLowerCase().split(' ')
  return [
    insert('user', { username: `${username}@${discordId}`, email: `${username}@example.com`, created_at: now }),
    `INSERT INTO discord_user (user_id, discord_id, username, discriminator, display_name, is_verified, role, school_id, login_count, first_login_at, last_login_at)
      SELECT id, ${quoted(discordId)}, ${quoted(username ?? '')}, '0', ${quoted(name)}, 1, 'regular', ${schoolId('Northfield Technical University')}, 3, ${now - 40 * DAY}, ${now}
      FROM user WHERE username = ${quoted(`${username}@${discordId}`)};`,
  ]
}

/**
 * The directory of an empty database whose catalog is filled: 40 listed servers at 3 schools, featured, public and
 * private; three pending invites that Discord knows and one it does not. Every returning person belongs to a school.
 */
export function directorySql(now: number): string {
  const statements: string[] = [
    `UPDATE discord_user SET school_id = ${schoolId('Harbor State University')} WHERE role IN ('manager', 'regular') AND school_id IS NULL;`,
    ...SUBMITTERS.flatMap((person) => submitter(person, now)),
  ]
  const [commons] = GUILDS.filter(({ id }) => id === TRUSTED_GUILD_ID)
  if (!commons) throw new Error('the trusted guild is gone')
  const listed = { isApproved: true, isValid: true }
  const oldest = now - 90 * DAY
  statements.push(
    server(commons, { isPrivate: false, isFeatured: true, at: oldest, countedAt: now - 3 * MINUTE }),
    ...Object.values(CAMPUSES).map(
      (school) =>
        `INSERT INTO server_school (server_id, school_id) SELECT ${guildRow(commons)}, id FROM school WHERE id = ${schoolId(school)};`,
    ),
    invite(commons, {
      ...listed,
      code: commons.code,
      by: byRole('manager'),
      school: null,
      notes: NOTES[1],
      isPrivate: false,
      at: oldest,
      dueAt: now + DAY,
    }),
  )
  for (const [place, [campus, school]] of Object.entries(CAMPUSES).entries()) {
    const guilds = GUILDS.filter((guild) => guild.for?.campus === campus)
    for (const [number, guild] of guilds.slice(0, LISTED_PER_CAMPUS).entries()) {
      const newest = NEWEST.indexOf(guild.code)
      const at = newest < 0 ? oldest + (number * 3 + place) * 2 * DAY : now - (NEWEST.length + 1 - newest) * DAY
      const isPrivate = number % 3 === 1
      const by = discordUserWith(SUBMITTERS[number % 2 === 0 ? 0 : 1].discordId)
      const notes = NOTES[number % NOTES.length] ?? ''
      // Spread over the day, so that the checks are, too.
      const dueAt = now + DAY + (number * 3 + place) * 20 * 60_000
      statements.push(
        // Harbor State has the featured server of all campuses.
        server(guild, { isPrivate, isFeatured: number === 0 && place > 0, at, countedAt: now - place * 5 * MINUTE }),
        ...links(guild, school),
        invite(guild, { ...listed, code: guild.code, by, school, notes, isPrivate, at, dueAt }),
      )
    }
    const [waiting, dead] = guilds.slice(LISTED_PER_CAMPUS)
    if (!waiting || !dead) throw new Error('too few guilds')
    const at = now - (3 - place) * HOUR
    const pending = { isApproved: false, isPrivate: false, school, at, dueAt: now + DAY }
    statements.push(
      server(waiting, { isPrivate: false, isFeatured: false, at, countedAt: at }),
      invite(waiting, {
        ...pending,
        code: waiting.code,
        by: place === 0 ? byRole('regular') : discordUserWith(SUBMITTERS[1].discordId),
        notes: NOTES[place + 1] ?? '',
        isValid: true,
      }),
      ...(place === 0
        ? [
            server(dead, { isPrivate: false, isFeatured: false, at, countedAt: at }),
            invite(dead, {
              ...pending,
              code: 'no-longer-there',
              by: discordUserWith(SUBMITTERS[0].discordId),
              notes: '',
              isValid: false,
            }),
          ]
        : []),
    )
  }
  // A month of people who joined, for the managers' charts.
  statements.push(
    `WITH RECURSIVE day(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM day WHERE n < 27)
      INSERT INTO invite_use (invite_id, visitor, used_at) SELECT i.id, 'seed:' || n, ${now} - n * ${DAY} - i.id * 60000
      FROM invite i, day WHERE i.state = 'approved' AND (i.id * 7 + n * n) % 4 = 0;`,
  )
  return statements.join('\n')
}
