import { createExecutionContext } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { type Context, Hono } from 'hono'
import { describe, expect, it } from 'vitest'
import { flash, flashMessages } from '../../src/web/session/flash.ts'
import type { SiteEnv } from '../../src/web/site.ts'
import { addUser, browserOf, Visitor } from '../worker/visitor.ts'

async function visitorWithMessage(): Promise<Visitor> {
  const visitor = await browserOf(await addUser())
  expect((await visitor.submit('/accounts/logout/', {})).status).toBe(303)
  return visitor
}

const messagesAt = async (visitor: Visitor, path: string) => (await visitor.see(path)).data.context.messages

describe('a message', () => {
  it('is shown on the page after a redirect, once', async () => {
    const visitor = await visitorWithMessage()
    const { html, data } = await visitor.see('/')
    expect(data.context.messages).toEqual([{ level_tag: 'success', message: 'You have signed out.' }])
    expect(html).toMatch(/message-success.*You have signed out\./s)
    expect(visitor.cookies.has('flash')).toBe(false)
    expect(await messagesAt(visitor, '/')).toEqual([])
  })

  it('waits through redirects and calls that show nothing', async () => {
    const visitor = await visitorWithMessage()
    expect((await visitor.get('/scheduler/jobs/x/')).status).toBe(302)
    expect((await visitor.get('/nowhere', { accept: 'application/json' })).status).toBe(404)
    expect(await messagesAt(visitor, '/')).toHaveLength(1)
  })

  it('is also shown on an error page', async () => {
    expect(await messagesAt(await visitorWithMessage(), '/nowhere')).toHaveLength(1)
  })

  it('is accepted only if we signed it', async () => {
    const visitor = await visitorWithMessage()
    const [body = '', signature = ''] = (visitor.cookies.get('flash') ?? '').split('.')
    const forged = btoa(JSON.stringify([{ level_tag: 'error', message: 'Call this number' }])).replace(/=+$/, '')
    const flipped = signature.startsWith('A') ? `B${signature.slice(1)}` : `A${signature.slice(1)}`
    for (const value of [
      `${forged}.${signature}`,
      `${body}.${flipped}`,
      body,
      `${body}.`,
      `.${signature}`,
      '',
      '.',
      '%C3%A9.%C3%A9',
    ]) {
      visitor.cookies.set('flash', value)
      expect(await messagesAt(visitor, '/')).toEqual([])
    }
  })
})

/** The messages on the page after a redirect whose handler left them. */
async function messagesAfter(leave: (c: Context<SiteEnv>) => void) {
  const app = new Hono<SiteEnv>()
  app.use(flashMessages)
  app.get('/', (c) => {
    leave(c)
    return c.redirect('/next')
  })
  const response = await app.request('/', {}, env, createExecutionContext())
  const cookie = response.headers.getSetCookie()[0] ?? ''
  expect(cookie).toMatch(/^flash=[\w.-]+; Path=\/; HttpOnly; SameSite=Lax$/)
  expect(cookie.length).toBeLessThan(4096)
  const visitor = new Visitor()
  visitor.cookies.set('flash', cookie.slice('flash='.length, cookie.indexOf(';')))
  return messagesAt(visitor, '/')
}

describe('a message with links', () => {
  const link = (text: string, number: number) => ({ text, href: `${env.APP_URL}/classcords/join/${number}/` })

  it('keeps all of them when they fit into a cookie', async () => {
    const links = Array.from({ length: 10 }, (_, number) => link(`Calculus friends ${number}`, number))
    expect(await messagesAfter((c) => flash(c, 'error', 'You need a referral code', links))).toMatchObject([{ links }])
  })

  it('keeps as many as fit, because a browser drops a cookie that is too large', async () => {
    const links = Array.from({ length: 10 }, (_, number) => link('数'.repeat(100), number))
    const [message] = await messagesAfter((c) => flash(c, 'error', 'You need a referral code', links))
    expect(message?.message).toMatch(/^You need a referral code: 数/)
    expect(message?.links?.length).toBeGreaterThan(2)
    expect(message?.links).toEqual(links.slice(0, message?.links?.length))
  })
})

describe('many messages', () => {
  it("are limited to a cookie's size: the newest stay", async () => {
    const messages = await messagesAfter((c) => {
      for (let number = 1; number <= 40; number += 1) flash(c, 'info', `${number} ${'ü'.repeat(600)}`)
    })
    expect(messages.length).toBeGreaterThan(0)
    expect(messages.at(-1)?.message).toMatch(/^40 ü+…$/)
    expect(messages.at(-1)?.message.length).toBe(500)
  })
})
