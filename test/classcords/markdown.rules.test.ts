import fc from 'fast-check'
import { Parser } from 'htmlparser2'
import { describe, expect, it } from 'vitest'
import { renderNotes } from '../../src/classcords/invites/notes.ts'

const tags = new Set(['p', 'br', 'strong', 'em', 'a', 'code', 'pre', 'ul', 'ol', 'li'])

/** What notes must not contain, as a browser would parse it. */
function harmIn(html: string): string[] {
  const harm: string[] = []
  const parser = new Parser({
    onopentag(name, attributes) {
      if (!tags.has(name)) harm.push(`<${name}>`)
      for (const [attribute, value] of Object.entries(attributes)) {
        const isFine =
          name === 'a' &&
          ((attribute === 'href' && /^https?:\/\/[^\s"'<>]+$/i.test(value)) ||
            (attribute === 'target' && value === '_blank') ||
            (attribute === 'rel' && value === 'nofollow ugc noopener noreferrer'))
        if (!isFine) harm.push(`${name} ${attribute}=${value}`)
      }
    },
    oncomment: (text) => harm.push(`comment ${text}`),
    onprocessinginstruction: (name) => harm.push(`instruction ${name}`),
  })
  parser.write(html)
  parser.end()
  return harm
}

describe('notes may contain', () => {
  it.each([
    ['Hello', '<p>Hello</p>'],
    ['', ''],
    ['  \n ', ''],
    [
      '**bold** and *soft* and __bold__ and _soft_',
      '<p><strong>bold</strong> and <em>soft</em> and <strong>bold</strong> and <em>soft</em></p>',
    ],
    ['**bold *and soft***', '<p><strong>bold <em>and soft</em></strong></p>'],
    ['snake_case_name 2*3*4', '<p>snake_case_name 2*3*4</p>'],
    ['one\ntwo\n\nthree', '<p>one<br>two</p><p>three</p>'],
    ['- a\n- b', '<ul><li>a</li><li>b</li></ul>'],
    ['1. a\n2) b', '<ol><li>a</li><li>b</li></ol>'],
    ['`a < b`', '<p><code>a &lt; b</code></p>'],
    ['``a ` b``', '<p><code>a ` b</code></p>'],
    ['```js\n<b>\n```', '<pre><code>&lt;b&gt;</code></pre>'],
    ['# Title', '<p>Title</p>'],
    ['\\*plain\\*', '<p>*plain*</p>'],
    [
      '[site](https://example.edu/a?b=1&c=2)',
      '<p><a href="https://example.edu/a?b=1&amp;c=2" target="_blank" rel="nofollow ugc noopener noreferrer">site</a></p>',
    ],
    [
      'see https://example.edu/x.',
      '<p>see <a href="https://example.edu/x" target="_blank" rel="nofollow ugc noopener noreferrer">https://example.edu/x</a>.</p>',
    ],
  ])('%j', (source, html) => {
    expect(renderNotes(source)).toBe(html)
  })
})

/** Sixty attempts to get more than that. */
const tries = [
  '<script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  '<svg onload=alert(1)>',
  '<svg/onload=alert(1)//',
  '<iframe src="javascript:alert(1)"></iframe>',
  '<a href="javascript:alert(1)">x</a>',
  '<body onload=alert(1)>',
  '<math><mi//xlink:href="data:x,<script>alert(4)</script>">',
  '<style>@import "//evil"</style>',
  '<link rel=stylesheet href=//evil>',
  '<meta http-equiv=refresh content="0;url=//evil">',
  '<base href=//evil>',
  '<form action=//evil><input name=x></form>',
  '<object data=//evil></object>',
  '<embed src=//evil>',
  '<!--<script>alert(1)</script>-->',
  '<![CDATA[<script>alert(1)</script>]]>',
  '<?xml version="1.0"?><x/>',
  '</p></div><script>alert(1)</script>',
  '</script><script>alert(1)</script>',
  '[x](javascript:alert(1))',
  '[x](JaVaScRiPt:alert(1))',
  '[x](java\tscript:alert(1))',
  '[x](java\nscript:alert(1))',
  '[x](&#106;avascript:alert(1))',
  '[x](javascript&colon;alert(1))',
  '[x](data:text/html;base64,PHNjcmlwdD4=)',
  '[x](vbscript:msgbox(1))',
  '[x](file:///etc/passwd)',
  '[x](//evil.example)',
  '[x](/classcords/ajax/)',
  '[x](https://user:pass@evil.example)',
  '[x](https://evil.example" onmouseover="alert(1))',
  "[x](https://evil.example' onmouseover='alert(1))",
  '[x](https://evil.example"><script>alert(1)</script>)',
  '[x](<https://evil.example" onclick=alert(1)>)',
  '[x](https://evil.example "title\\" onclick=alert(1)")',
  '[<img src=x onerror=alert(1)>](https://example.edu)',
  '[**<script>**](https://example.edu)',
  '[](javascript:alert(1))',
  '![x](https://evil.example/x.png)',
  '![x](javascript:alert(1))',
  '![<img onerror=1>](x)',
  '<https://evil.example"onclick=alert(1)>',
  'https://evil.example/"onmouseover="alert(1)',
  "https://evil.example/'onmouseover='alert(1)",
  'https://evil.example/<script>alert(1)</script>',
  'https://evil.example/`"><img src=x onerror=alert(1)>`',
  '`<script>alert(1)</script>`',
  '``</code><script>alert(1)</script>``',
  '```\n</code></pre><script>alert(1)</script>\n```',
  '```<script>alert(1)</script>\nx',
  '~~~" onload="alert(1)\nx\n~~~',
  '- <img src=x onerror=alert(1)>',
  '1. </li></ol><script>alert(1)</script>',
  '**<svg onload=alert(1)>**',
  '*<b onmouseover=alert(1)>x</b>*',
  '# <script>alert(1)</script>',
  '\\<script>alert(1)\\</script>',
  '&lt;script&gt;alert(1)&lt;/script&gt;',
  '\u0000<scr\u0000ipt>alert(1)</scr\u0000ipt>',
  '<scr<script>ipt>alert(1)</scr</script>ipt>',
  '\u202e<script>\u202d',
  '[a](https://example.edu)[b](javascript:alert(1))**<i>**',
]

describe('forbidden content', () => {
  it('is attempted in sixty ways', () => {
    expect(new Set(tries).size).toBeGreaterThanOrEqual(60)
  })

  it.each(tries)('%j renders safely', (source) => {
    expect(harmIn(renderNotes(source))).toEqual([])
  })

  it('is detected by this test if present', () => {
    expect(harmIn('<p onclick="x">')).toHaveLength(1)
    expect(harmIn('<a href="javascript:x">')).toHaveLength(1)
    expect(harmIn('<script>')).toHaveLength(1)
  })

  it('is produced by no input', () => {
    const piece = fc.constantFrom(
      ...tries,
      '**',
      '*',
      '_',
      '`',
      '```',
      '[',
      '](',
      ')',
      '<',
      '>',
      '"',
      "'",
      '&',
      '\\',
      '\n',
      '- ',
      '1. ',
      'https://x.y',
      'a',
    )
    const source = fc
      .array(fc.oneof(piece, fc.string({ maxLength: 5 })), { maxLength: 12 })
      .map((parts) => parts.join(''))
    fc.assert(
      fc.property(source, (text) => {
        expect(harmIn(renderNotes(text))).toEqual([])
      }),
    )
  })

  it('takes little time, however deeply it is nested', () => {
    for (const part of ['*', '**', '_', '`', '[', '[x](', '*a ', '`a', '- ']) {
      const startedAt = performance.now()
      renderNotes(part.repeat(255))
      expect(performance.now() - startedAt, part).toBeLessThan(5000)
    }
  })
})
