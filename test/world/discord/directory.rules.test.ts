import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startWorld, type RunningWorld } from '../server.ts'

let running: RunningWorld

beforeAll(async () => {
  running = await startWorld({ appUrl: 'http://localhost:4321', twilioAccountSid: 'AC0', twilioAuthToken: 't' })
})
afterAll(() => running.close())

const get = (path: string): Promise<Response> => fetch(`${running.url}/discord/api/${path}`)

describe('an invite', () => {
  const look = async (code: string, query = '?with_counts=true&with_expiration=true') => {
    const answer = await get(`invites/${code}${query}`)
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
  }

  it('leads to a server, with its counts if requested', async () => {
    const { body } = await look('harbor-state-calculus-i')
    expect(body).toMatchObject({
      type: 0,
      expires_at: null,
      guild: { id: '1190000000000000100', name: 'Harbor State Calculus I' },
      inviter: { username: 'morgan.reyes' },
    })
    expect(body['approximate_member_count']).toBeGreaterThan(0)
    expect((await look('harbor-state-calculus-i', '')).body).not.toHaveProperty('approximate_member_count')
  })

  it('may expire, be a vanity address, lead to a group, or not exist', async () => {
    const { body } = await look('expires-soon')
    expect(Date.parse(String(body['expires_at']))).toBeGreaterThan(Date.now())
    const vanity = (await look('vanity')).body
    expect(vanity).toMatchObject({ expires_at: null, guild: { vanity_url_code: 'vanity' } })
    expect(vanity).not.toHaveProperty('inviter')
    const group = (await look('group-chat')).body
    expect(group).toMatchObject({ type: 1 })
    expect(group).not.toHaveProperty('guild')
    expect(await look('no-such-code')).toEqual({ status: 404, body: { message: 'Unknown Invite', code: 10006 } })
  })
})

describe('pictures', () => {
  it('exist for avatars and icons, with defaults', async () => {
    for (const path of [
      'avatars/1170000000000000001/a1b2c3d4e5f60718a1b2c3d4e5f60718.png?size=128',
      'embed/avatars/3.png',
    ]) {
      const answer = await fetch(`${running.url}/discord/cdn/${path}`)
      expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'image/svg+xml'])
    }
    const guilds = ['harbor-state-calculus-i', 'northfield-tech-statistics', 'queens-college-biology-101']
    for (const code of guilds) {
      const { guild } = (await (await get(`invites/${code}`)).json()) as { guild: { id: string; icon: string | null } }
      if (guild.icon === null) continue
      expect((await fetch(`${running.url}/discord/cdn/icons/${guild.id}/${guild.icon}.png`)).status).toBe(200)
    }
    expect((await fetch(`${running.url}/discord/cdn/avatars/1/abc.png`)).status).toBe(404)
  })
})
