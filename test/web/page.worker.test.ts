import { createExecutionContext } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { app } from '../../src/app.tsx'
import { PageContext } from '../../src/web/contract.ts'
import { makeSchool, makeServer } from '../worker/directory.ts'
import { addUser, Visitor } from '../worker/visitor.ts'

/** The files that a page's header names, requested twice, and those of the page's own elements. */
async function linked(path: string): Promise<{ html: string[]; headers: string[][] }> {
  const [first, second] = [await new Visitor().see(path), await new Visitor().see(path)]
  const styles = [...first.html.matchAll(/<link rel="stylesheet" href="([^"]+)"/g)]
  const font = /<link rel="preload" href="([^"]+)" as="font" type="font\/woff2" crossorigin/i.exec(first.html)?.[1]
  const scripts = [
    ...first.html.matchAll(/<script type="module" src="([^"]+)"|<link rel="modulepreload" href="([^"]+)"/g),
  ]
  const links = scripts.map(([, main, chunk]) => `<${main ?? chunk}>; rel=preload; as=script; crossorigin`)
  return {
    html: [
      ...styles.map(([, style]) => `<${style}>; rel=preload; as=style`),
      `<${font}>; rel=preload; as=font; type="font/woff2"; crossorigin`,
      ...links,
    ].toSorted(),
    headers: [first, second].map(({ response }) => (response.headers.get('link') ?? '').split(', ').toSorted()),
  }
}

describe('the dashboard', () => {
  it('shows a visitor the directory, and only that', async () => {
    const { response, html, data } = await new Visitor().see('/')
    expect(response.status).toBe(200)
    expect(html).toContain('<title>Dashboard · Class Cords</title>')
    expect(html).toContain('Overview of all applications')
    expect(html).toContain('Home – Choose an application to get started')
    expect(html).toMatch(/<a href="\/classcords\/">Discord Tracker<\/a>/)
    expect(html).not.toContain('/class_tracker/')
    expect([data.page, data.props]).toEqual(['Home', {}])
  })

  it('says what this is and leads a stranger to a class by search and by school', async () => {
    const { school_id: school } = await makeSchool()
    const { id } = await makeServer({ name: 'Calculus friends', schools: [school] })
    const hidden = await makeServer({ name: 'Hidden friends', privacy: 'private', schools: [school] })
    // A logged-in user gets a fresh page; a visitor's may be seconds old.
    const { html } = await (await Visitor.loggedInAs(await addUser())).see('/')
    expect(html.match(/<script(?! type="application\/ld)/g)).toHaveLength(1)
    expect(html).not.toContain('Hidden friends')
    expect(html).not.toContain(`/classcords/server/${hidden.id}/`)
    expect(html).toContain('<h1 class="display">Find the Discord for your class.</h1>')
    expect(html).toMatch(/<form role="search"[^>]* action="\/classcords\/all\/">.*name="q"/s)
    expect(html).toContain(`href="/classcords/school/${school}/"`)
    expect(html).toContain(`href="/classcords/server/${id}/"`)
  })

  it('shows the class tracker only to superusers', async () => {
    const person = await Visitor.loggedInAs(await addUser())
    expect((await person.see('/')).html).not.toContain('/class_tracker/')
    const superuser = await Visitor.loggedInAs(await addUser({ isSuperuser: true }))
    expect((await superuser.see('/')).html).toMatch(/<a href="\/class_tracker\/">Class Tracker<\/a>/)
  })
})

describe('a page', () => {
  it('is a whole document without scripts of its own if it has no island', async () => {
    const { html } = await new Visitor().see('/accounts/login/')
    expect(html).toMatch(/^<!DOCTYPE html><html lang="en">/)
    expect(html).toContain('<meta name="viewport" content="width=device-width, initial-scale=1"/>')
    expect(html).toMatch(/<link rel="stylesheet" href="\/assets\/style-[A-Z0-9]+\.css"\/>/)
    expect(html).toContain('href="#main"')
    expect(html.match(/<script(?! type="application\/ld)/g)).toHaveLength(1)
    expect(html).not.toMatch(/ style="| on[a-z]+="/)
  })

  it('names its style, font and scripts in a header, also when cached', async () => {
    const { html, headers } = await linked('/classcords/')
    expect(headers).toEqual([html, html])
    expect(html.length).toBeGreaterThan(3)
    expect((await linked('/accounts/login/')).headers[0]).toHaveLength(2)
  })

  it('loads the style of staff pages only where staff work', async () => {
    const superuser = await Visitor.loggedInAs(await addUser({ isSuperuser: true }))
    const stylesAt = async (path: string) =>
      [...(await superuser.see(path)).html.matchAll(/<link rel="stylesheet" href="\/assets\/(\w+)-/g)].map(
        ([, name]) => name,
      )
    for (const path of ['/', '/classcords/', '/accounts/', '/accounts/email/', '/s/'])
      expect(await stylesAt(path), path).toEqual(['style'])
    for (const path of ['/admin/', '/class_tracker/', '/class_tracker/add_classes/', '/scheduler/queues/'])
      expect(await stylesAt(path), path).toEqual(['style', 'staff'])
  })

  it('passes its context as the contract says', async () => {
    const visitor = await Visitor.loggedInAs(await addUser({ username: 'ada', isSuperuser: true }))
    const { data } = await visitor.see('/accounts/inactive?x=1')
    expect(PageContext.parse(data.context)).toMatchObject({
      user: { is_authenticated: true, is_superuser: true, name: 'ada', discord_user: null },
      path: '/accounts/inactive',
      messages: [],
    })
    const anonymous = (await new Visitor().see('/')).data.context
    expect(PageContext.parse(anonymous).user).toEqual({
      is_authenticated: false,
      is_superuser: false,
      name: '',
      discord_user: null,
    })
  })

  it('answers its page data to a client that prefers JSON', async () => {
    const response = await new Visitor().get('/', { accept: 'application/json' })
    expect(response.headers.get('content-type')).toContain('application/json')
    expect(await response.json()).toMatchObject({ page: 'Home', props: {}, context: { path: '/' } })
  })

  it('gives a client that prefers JSON only the sentences of a refused form', async () => {
    const visitor = new Visitor()
    await visitor.see('/accounts/login/')
    const wrong = { login: 'nobody', password: 'nothing at all' }
    const response = await visitor.submit('/accounts/login/', wrong, { accept: 'application/json' })
    expect([response.status, await response.json()]).toEqual([422, ['Invalid username or password.']])
    const signUp = await visitor.submit('/accounts/signup/', {}, { accept: 'application/json' })
    expect([signUp.status, await signUp.json()]).toEqual([422, expect.arrayContaining([expect.any(String)])])
  })

  it('cannot be closed early by any value in its page data', async () => {
    const name = `</script><!--<script>\u2028\u2029&`
    const visitor = await Visitor.loggedInAs(await addUser({ username: name, email: 'odd@example.com' }))
    const { html, data } = await visitor.see('/')
    expect(data.context.user.name).toBe(name)
    const written = html.slice(html.indexOf('id="page-data">') + 15, html.lastIndexOf('</script>'))
    expect(written).not.toMatch(/[<>&\u2028\u2029]/)
    expect(html.match(/<script(?! type="application\/ld)/g)).toHaveLength(1)
    // Its own script element, and that for search engines.
    expect(html.match(/<\/script/g)).toHaveLength(2)
  })
})

describe('headers', () => {
  const policy =
    /^default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; connect-src 'self'; img-src 'self' data: http:\/\/\S+:\d+; manifest-src 'self'; worker-src 'self'; form-action 'self' http:\/\/\S+:\d+; base-uri 'none'; frame-ancestors 'none'$/

  it.each([
    ['/', 'text/html', 200],
    ['/nowhere', 'text/html', 404],
    ['/nowhere', 'application/json', 404],
    ['/scheduler/jobs/x/', 'text/html', 302],
  ])('%s (%s) is protected', async (path, accept, status) => {
    const response = await new Visitor().get(path, { accept })
    expect(response.status).toBe(status)
    expect(response.headers.get('content-security-policy')).toMatch(policy)
    expect(response.headers.get('x-content-type-options')).toBe('nosniff')
    expect(response.headers.get('referrer-policy')).toBe('strict-origin-when-cross-origin')
    expect(response.headers.get('cache-control')).toBe('private, no-store')
    expect(response.headers.get('strict-transport-security')).toBeNull()
  })

  it('asks for https only over https', async () => {
    const visitor = new Visitor()
    visitor.origin = 'https://class-cords.example'
    expect((await visitor.get('/')).headers.get('strict-transport-security')).toContain('max-age=31536000')
  })

  it('leads from http to https at the address of a deployed site, and nowhere else', async () => {
    const ask = (address: string, APP_URL: string) =>
      app.request(address, { headers: { accept: 'text/html' } }, { ...env, APP_URL }, createExecutionContext())
    const deployed = 'https://class-cords.example'
    const answer = await ask('http://class-cords.example/accounts/login/?next=%2Fa%3Fb', deployed)
    expect([answer.status, answer.headers.get('location')]).toEqual([
      308,
      'https://class-cords.example/accounts/login/?next=%2Fa%3Fb',
    ])
    expect(answer.headers.getSetCookie()).toEqual([])
    for (const [address, appUrl] of [
      ['https://class-cords.example/', deployed],
      ['http://localhost:8787/', deployed],
      ['http://class-cords.example:8080/', deployed],
      ['http://localhost:8787/', 'http://localhost:8787'],
    ] as const)
      expect((await ask(address, appUrl)).status, `${address} ${appUrl}`).toBe(200)
  })
})

describe('the head of a page', () => {
  it('describes it once, or the site if the page has no description', async () => {
    for (const path of ['/', '/accounts/login/', '/classcords/', '/class_tracker/', '/nowhere']) {
      const html = await (await new Visitor().get(path)).text()
      const descriptions = [...html.matchAll(/<meta name="description" content="([^"]+)"/g)].map(([, text]) => text)
      expect(descriptions, path).toEqual([expect.stringMatching(/class/)])
    }
  })
})
