import { beforeEach, describe, expect, it } from 'vitest'
import {
  discordUsers,
  goThroughDiscord,
  people,
  pick,
  placeOf,
  loggedInThrough,
  deleteAllAccounts,
} from '../worker/discord-people.ts'
import { rows } from '../worker/rows.ts'
import { addUser, browserOf, type Visitor } from '../worker/visitor.ts'

/** People logged in without Discord see what is missing and where to connect it. */

const connect = '/accounts/discord/login/?process=connect'
const success = '/classcords/login-success/'
let visitor: Visitor

beforeEach(async () => {
  await deleteAllAccounts()
  visitor = await browserOf(await addUser())
})

describe('a user logged in without Discord', () => {
  it('sees on their profile what is missing, with a link', async () => {
    const { response, html } = await visitor.see('/classcords/profile/')
    expect(response.status).toBe(404)
    expect(html).toContain('Connect your Discord account to get a profile')
    expect(html).toContain(`href="${connect}&amp;next=%2Fclasscords%2Fprofile%2F"`)
    const json = await visitor.get('/classcords/profile/', { accept: 'application/json' })
    expect([json.status, await json.json()]).toEqual([404, ['No Discord account is linked to yours.']])
  })

  it.each(['/classcords/referrals/', '/classcords/unapproved-invites/', '/classcords/notices/'])(
    'sees the same at %s',
    async (path) => {
      const { response, html } = await visitor.see(path)
      expect(response.status).toBe(403)
      expect(html).toContain('Connect Discord first')
      expect(html).toContain(`href="${connect}&amp;next=${encodeURIComponent(path)}"`)
    },
  )

  it('connects Discord with the button on the login page, and then continues like a new user', async () => {
    const { html } = await visitor.see('/classcords/login/')
    expect(html).toContain('no Discord account is connected')
    const answer = await visitor.submit('/accounts/discord/login/', {})
    const to = `${connect}&next=${encodeURIComponent(success)}`
    expect(placeOf(answer)).toEqual([303, to])
    expect((await visitor.see(to)).html).toContain('You are about to connect your Discord account.')
    const away = await visitor.submit('/accounts/discord/login/', { process: 'connect', next: success })
    const back = await pick(new URL(away.headers.get('location') ?? ''), 'newcomer')
    expect(placeOf(await visitor.get(back))).toEqual([302, success])
    expect(placeOf(await visitor.get(success))).toEqual([302, '/classcords/profile/'])
    expect(await discordUsers()).toMatchObject([{ discord_id: people.newcomer.id }])
  })

  it('returns to the page that required Discord', async () => {
    const answer = await visitor.submit('/accounts/discord/login/', { next: '/classcords/all/', referral: 'abc' })
    expect(placeOf(answer)).toEqual([303, `${connect}&next=%2Fclasscords%2Fall%2F&referral=abc`])
    expect(placeOf(await visitor.get('/accounts/discord/login/?next=/classcords/all/'))).toEqual([
      302,
      `${connect}&next=%2Fclasscords%2Fall%2F`,
    ])
  })

  it('may use a referral', async () => {
    await loggedInThrough('manager')
    await rows(
      `INSERT INTO referral (code, owner_id, max_uses, num_uses, expiry_timeframe, created_at)
       SELECT 'brought', id, 20, 0, '1w', 0 FROM discord_user`,
    )
    expect(placeOf(await visitor.get('/classcords/referral/brought/'))).toEqual([
      302,
      '/classcords/login/?referral=brought',
    ])
    await visitor.see('/classcords/login/')
    expect(placeOf(await goThroughDiscord(visitor, 'stranger', { process: 'connect' }))).toEqual([
      302,
      '/accounts/3rdparty/',
    ])
    expect(await rows("SELECT num_uses FROM referral WHERE code = 'brought'")).toEqual([{ num_uses: 1 }])
    expect(placeOf(await visitor.get('/classcords/referral/brought/'))).toEqual([302, '/classcords/'])
  })
})
