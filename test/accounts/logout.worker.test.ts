import { describe, expect, it } from 'vitest'
import { addUser, Visitor } from '../worker/visitor.ts'

describe('logout', () => {
  it("ends the session everywhere and redirects to the area's front page", async () => {
    for (const [next, location] of [
      ['', '/'],
      ['/class_tracker/add_classes/', '/class_tracker/'],
      ['/classcords/all/?page=2', '/classcords/'],
      ['//evil.example', '/'],
      ['/accounts/email/', '/'],
    ] as const) {
      const visitor = await Visitor.loggedInAs(await addUser())
      const token = visitor.cookies.get('session') ?? ''
      await visitor.see('/')
      const response = await visitor.submit('/accounts/logout/', { next })
      expect([response.status, response.headers.get('location')]).toEqual([303, location])
      expect(visitor.cookies.has('session')).toBe(false)
      visitor.cookies.set('session', token)
      expect((await visitor.see('/')).data.context.user.is_authenticated).toBe(false)
    }
  })

  it("redirects to the area's front page from each navbar", async () => {
    const user = await addUser({ isSuperuser: true })
    for (const [page, location] of [
      ['/classcords/all/', '/classcords/'],
      ['/class_tracker/', '/class_tracker/'],
      ['/scheduler/queues/', '/'],
      ['/admin/', '/'],
      ['/accounts/', '/'],
      ['/', '/'],
    ] as const) {
      const visitor = await Visitor.loggedInAs(user)
      const { html } = await visitor.see(page)
      const bar = html.slice(html.indexOf('<header'), html.indexOf('</header>'))
      const action = /<form\b[^>]*\baction="([^"]+)"/.exec(bar)?.[1] ?? ''
      const response = await visitor.submit(action, {})
      expect([page, response.status, response.headers.get('location')]).toEqual([page, 303, location])
      expect(visitor.cookies.has('session')).toBe(false)
    }
  })

  it('redirects nowhere else, whatever its address asks for', async () => {
    const visitor = await Visitor.loggedInAs(await addUser())
    await visitor.see('/')
    const response = await visitor.submit('/accounts/logout/?next=//evil.example/classcords/', {})
    expect([response.status, response.headers.get('location')]).toEqual([303, '/'])
  })

  it("does not affect the user's other browsers", async () => {
    const user = await addUser()
    const [here, there] = [await Visitor.loggedInAs(user), await Visitor.loggedInAs(user)]
    await here.see('/')
    await here.submit('/accounts/logout/', {})
    expect((await there.see('/')).data.context.user.is_authenticated).toBe(true)
  })

  it('asks for confirmation when its address is opened, but not visitors', async () => {
    const visitor = await Visitor.loggedInAs(await addUser())
    const { html } = await visitor.see('/accounts/logout/?next=/class_tracker/')
    expect(html).toContain('<input type="hidden" name="next" value="/class_tracker/"/>')
    expect((await visitor.see('/')).data.context.user.is_authenticated).toBe(true)
    const response = await new Visitor().get('/accounts/logout/')
    expect([response.status, response.headers.get('location')]).toEqual([302, '/'])
  })
})
