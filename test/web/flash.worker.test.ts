import { createExecutionContext } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { Hono } from 'hono'
import { describe, expect, it } from 'vitest'
import { flash, keepFlash } from '../../src/web/flash.ts'
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

describe('many messages', () => {
  it("are limited to a cookie's size: the newest stay", async () => {
    const app = new Hono<SiteEnv>()
    app.use(keepFlash)
    app.get('/', (c) => {
      for (let number = 1; number <= 40; number += 1) flash(c, 'info', `${number} ${'ü'.repeat(600)}`)
      return c.redirect('/next')
    })
    const response = await app.request('/', {}, env, createExecutionContext())
    const cookie = response.headers.getSetCookie()[0] ?? ''
    expect(cookie).toMatch(/^flash=[\w.-]+; Path=\/; HttpOnly; SameSite=Lax$/)
    expect(cookie.length).toBeLessThan(4096)
    const visitor = new Visitor()
    visitor.cookies.set('flash', cookie.slice('flash='.length, cookie.indexOf(';')))
    const messages = await messagesAt(visitor, '/')
    expect(messages.length).toBeGreaterThan(0)
    expect(messages.at(-1)?.message).toMatch(/^40 ü+…$/)
    expect(messages.at(-1)?.message.length).toBe(500)
  })
})
