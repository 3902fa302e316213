import { expect } from 'vitest'
import { Contexts } from './contexts.ts'
import { journey } from './journey.ts'
import { seedPeople } from './seed.ts'
import { Visit } from './visit.ts'

const broken = `<!doctype html><html lang="en"><head><title>Broken</title></head><body><main><h1>Broken</h1>
<script>var inline = 1</script><script src="/broken.js"></script><img src="http://localhost:1/elsewhere.png" alt="">
<input type="text"><p class="wide"></p><svg width="3000" height="10" role="presentation"></svg></main></body></html>`
const script = `document.body.style.cssText = 'width: 50vw; transition: width 200ms'
console.warn('a warning'); console.error('an error'); alert('an alert'); throw new Error('uncaught')`

// A journey is useful only if it notices faults: this page has every fault that it should notice.
journey('the inspection notices every kind of fault on a page', seedPeople, async ({ app, visit: start }) => {
  const browser = (await start()).context.browser()
  if (!browser) throw new Error('The visit has no browser.')
  const visit = await Visit.start(new Contexts(browser), app.url)
  try {
    const policy = { 'content-security-policy': "default-src 'none'; script-src 'self'; img-src *" }
    await visit.page.route('**/broken', (route) =>
      route.fulfill({ contentType: 'text/html', headers: policy, body: broken }),
    )
    await visit.page.route('**/broken.js', (route) => route.fulfill({ contentType: 'text/javascript', body: script }))
    visit.expectStatus(418)
    await visit.open('/broken')
    await visit.open('/no-such-page')
    await visit.page.goBack()
    await visit.inspect('the broken page')
    for (const expected of [
      /warning in the console: a warning/,
      /error in the console: an error/,
      /the browser's own alert: an alert/,
      /uncaught: Error: uncaught/,
      /Against the content security policy: script-src-elem inline/,
      /asked somebody else: http:\/\/localhost:1\/elsewhere\.png/,
      /status of 404/,
      /the broken page at 1280 px is \d+ px wide/,
      /the broken page at 390 px is \d+ px wide/,
      /the broken page at 1280 px, label:/,
      /the broken page moves although less motion is asked for, gradual changes: 1/,
      /no answer had the status 418/,
    ])
      expect(visit.problems()).toContainEqual(expect.stringMatching(expected))
  } finally {
    await visit.end(false)
  }
})
