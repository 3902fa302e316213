import { beforeEach, describe, expect, it } from 'vitest'
import { addPerson, emptyDirectory, makeSchool, makeServer } from '../worker/directory.ts'
import { rows } from '../worker/rows.ts'
import { addUser, browserOf, Visitor } from '../worker/visitor.ts'

/** What people see before they have access, and if a step is missing. */

beforeEach(emptyDirectory)

const see = async (path: string, visitor = new Visitor()) => (await visitor.get(path)).text()

async function refer(owner: number, code: string, uses = 5): Promise<void> {
  await rows(
    `INSERT INTO referral (code, owner_id, max_uses, expiry_timeframe, created_at, expires_at)
     VALUES (?, ?, ?, '1w', 0, 9e15)`,
    code,
    owner,
    uses,
  )
}

describe('the login page', () => {
  it("says who sent the referral, and to which school's servers", async () => {
    const school = await makeSchool()
    const maya = await addPerson({ school: school.school_id })
    await refer(maya.discordUserId, 'from-maya')
    await makeServer({ name: 'Open to strangers', schools: [school.school_id] })
    await makeServer({ name: 'Hidden from strangers', privacy: 'private', schools: [school.school_id] })
    const html = await see('/classcords/login/?referral=from-maya')
    const [named] = await rows<{ name: string }>('SELECT name FROM school WHERE id = ?', school.school_id)
    for (const words of [
      maya.name,
      ' invited you',
      'Open to strangers',
      named?.name ?? '?',
      'Your invitation will be applied',
    ])
      expect(html).toContain(words)
    for (const words of ['How to get an account', 'First time here?', 'Hidden from strangers'])
      expect(html).not.toContain(words)
    // A pasted link works like its code.
    const pasted = new URLSearchParams({ referral: 'https://example.com/classcords/referral/from-maya/' })
    expect(await see(`/classcords/login/?${pasted}`)).toContain(' invited you')
  })

  it('says that a referral is not valid before the person goes to Discord, and names only public trusted servers', async () => {
    const open = await makeServer({ name: 'Trusted Commons', featured: true })
    await makeServer({ name: 'Secret Circle', featured: true, privacy: 'private' })
    await makeServer({ name: 'Fallen Silent', featured: true, isListed: false })
    await makeServer({ name: 'Not Trusted' })
    const html = await see('/classcords/login/?referral=no-such-code')
    for (const words of [
      'expired or was used up',
      'Trusted Commons',
      `/classcords/join/${open.invite}/`,
      'Use referral',
    ])
      expect(html).toContain(words)
    for (const words of ['Secret Circle', 'Fallen Silent', 'Not Trusted', 'Your invitation will be applied'])
      expect(html).not.toContain(words)
    const stranger = new Visitor()
    expect((await stranger.get('/classcords/referral/made-up/')).headers.get('location')).toBe('/classcords/login/')
    expect(await see('/classcords/login/', stranger)).toContain('Trusted Commons')
    expect(await see('/classcords/login/')).not.toContain('How to get an account')
  })
})

describe('a missing step', () => {
  it('is connecting Discord for logged-in people without it', async () => {
    const visitor = await browserOf(await addUser())
    for (const path of ['/classcords/', '/classcords/all/']) {
      const html = await see(path, visitor)
      expect(html).toContain(
        `/accounts/discord/login/?${new URLSearchParams({ process: 'connect', next: path })}`.replaceAll('&', '&amp;'),
      )
      expect(html).not.toContain('Add Discord Invite')
    }
  })

  it('is selecting a school for people who have none, and no button leads to an error', async () => {
    const html = await see('/classcords/all/', await browserOf(await addPerson()))
    expect(html).toContain('Select your school')
    expect(html).toMatch(/<a href="\/classcords\/profile\/#add"[^>]*>(?:<svg.*?<\/svg>)?Add Discord Invite<\/a>/)
    const manager = await see('/classcords/all/', await browserOf(await addPerson({ role: 'manager' })))
    expect(manager).toMatch(/Add Discord Invite<\/button>/)
    const school = await makeSchool()
    const member = await see('/classcords/all/', await browserOf(await addPerson({ school: school.school_id })))
    expect([member.includes('Add Discord Invite'), member.includes('Select your school')]).toEqual([true, false])
  })
})

it('dead ends offer a next step', async () => {
  for (const [path, way] of [
    ['/classcords/nowhere/', '/classcords/all/'],
    ['/classcords/server/999999/', '/classcords/all/'],
    ['/accounts/nowhere/', '/accounts/login/'],
    ['/class_tracker/nowhere/', '/class_tracker/'],
    ['/accounts/inactive/', '/classcords/all/'],
    ['/accounts/confirm-email/no-such-key/', '/accounts/login/'],
  ] as const)
    expect(await see(path), path).toContain(`href="${way}"`)
})

it('the prompt to log in offers what is public', async () => {
  expect(await see('/classcords/')).toContain('See the public servers')
})
