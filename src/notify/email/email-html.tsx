import type { CSSProperties, ReactNode } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { type Block, clean, type EmailContent } from './email-content.ts'

/*
 * Email programs load no style sheets, so every element has its own style, tables make the layout, and nothing is
 * fetched. Programs that support a style element get a dark theme too.
 */

/** The font where the style element is not supported. */
const font = (weight: number, size: number, line: number): CSSProperties => ({
  font: `${weight} ${size}px/${line}px Helvetica,Arial,sans-serif`,
})
const INK = '#181b2c'
const PALE = '#62657a'
/** Text in the usual color, and in a paler one. */
const ink = (weight: number, size: number, line: number, more: CSSProperties = {}) => ({
  className: 'ink',
  style: { ...font(weight, size, line), ...more, color: INK },
})
const pale = (size: number, line: number, more: CSSProperties = {}) => ({
  className: 'pale',
  style: { ...font(400, size, line), ...more, color: PALE },
})
const ACCENT = '#534fdd'
const GREEN = '#14a152'

const styles = `td, div, span, h1, a { font-family: -apple-system, 'Segoe UI', Roboto, Helvetica, Arial, sans-serif !important }
td { overflow-wrap: anywhere }
.mono { font-family: ui-monospace, Menlo, Consolas, monospace !important }
@media (prefers-color-scheme: dark) {
body, .bg { background: #0a0d18 !important }
.sheet { background: #141722 !important; border-color: #2b2f3d !important }
.ink { color: #f2efe9 !important }
.pale { color: #a6abbd !important }
.box { background: #0f1220 !important; border-color: #434859 !important }
.okay { background: #0f3320 !important; color: #a8efbd !important }
.free { background: #0f3320 !important }
.taken { background: #5b6072 !important }
.go { color: #aaa6ff !important }
}
@media (max-width: 480px) { .row { padding-left: 20px !important; padding-right: 20px !important } }`

/** The email as a whole HTML document without pictures, scripts or anything to load. */
export function emailHtml(email: EmailContent): string {
  return `<!doctype html>${renderToStaticMarkup(<EmailDocument email={email} />)}`
}

function EmailDocument({ email: { site, subject, preview, blocks, footer } }: { email: EmailContent }) {
  return (
    <html lang="en">
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width" />
        <meta name="color-scheme" content="light dark" />
        <meta name="supported-color-schemes" content="light dark" />
        <title>{clean(subject)}</title>
        <style dangerouslySetInnerHTML={{ __html: styles }} />
      </head>
      <body style={{ margin: 0, background: '#fbfaf7' }}>
        {preview === '' ? null : (
          <div style={{ display: 'none', maxHeight: 0, overflow: 'hidden' }}>{clean(preview)}</div>
        )}
        <Table className="bg" style={{ background: '#fbfaf7' }}>
          <tr>
            <td align="center" style={{ padding: '24px 16px' }}>
              <Table style={{ maxWidth: 560, textAlign: 'left' }}>
                <tr>
                  <td {...ink(600, 15, 24, { padding: '0 4px 14px' })}>{clean(site)}</td>
                </tr>
                <tr>
                  <td
                    className="sheet"
                    style={{
                      background: '#ffffff',
                      border: '1px solid #e4e1db',
                      borderRadius: 16,
                      padding: '12px 0 26px',
                    }}
                  >
                    <Blocks blocks={blocks} />
                  </td>
                </tr>
                <Footer footer={footer} />
              </Table>
            </td>
          </tr>
        </Table>
      </body>
    </html>
  )
}

function Blocks({ blocks }: Pick<EmailContent, 'blocks'>) {
  return (
    <Table>
      {blocks.map((block, place) => (
        <tr key={place}>
          <td {...ink(400, 16, 24, { padding: '14px 32px 0' })} className="row ink">
            <BlockBody block={block} />
          </td>
        </tr>
      ))}
    </Table>
  )
}

function Table({ className, style, children }: { className?: string; style?: CSSProperties; children: ReactNode }) {
  return (
    <table role="presentation" width="100%" cellPadding={0} cellSpacing={0} className={className} style={style}>
      <tbody>{children}</tbody>
    </table>
  )
}

function Footer({ footer: { text, links } }: Pick<EmailContent, 'footer'>) {
  if (text === '' && links.length === 0) return null
  return (
    <tr>
      <td {...pale(13, 20, { padding: '16px 4px' })}>
        {clean(text)}
        {links.map(({ label, url }, place) => (
          <span key={url}>
            {place === 0 ? ' ' : ' · '}
            <a href={url} className="pale" style={{ color: PALE }}>
              {clean(label)}
            </a>
          </span>
        ))}
      </td>
    </tr>
  )
}

function BlockBody({ block }: { block: Block }) {
  switch (block.kind) {
    case 'paragraph':
      return clean(block.text)
    case 'headline':
      return <Headline {...block} />
    case 'seats':
      return <Seats {...block} />
    case 'number':
      return <NumberBox {...block} />
    case 'button':
      return <ActionButton {...block} />
    case 'links':
      return <Links {...block} />
    case 'facts':
      return <Facts {...block} />
    case 'rule':
      return (
        <div style={{ height: 1, lineHeight: '1px', fontSize: 0, margin: '12px 0', background: '#cfcbc3' }}>&nbsp;</div>
      )
  }
}

type Of<Kind extends Block['kind']> = Extract<Block, { kind: Kind }>

function Headline({ badge, text, lead }: Of<'headline'>) {
  return (
    <>
      {badge === '' ? null : (
        <span
          className="okay"
          style={{
            ...font(600, 13, 20),
            display: 'inline-block',
            margin: '0 0 10px',
            padding: '3px 12px 3px 10px',
            borderRadius: 99,
            background: '#dcfae2',
            color: '#1a5c30',
          }}
        >
          <span style={{ color: GREEN }}>●</span>&nbsp; {clean(badge)}
        </span>
      )}
      <h1 {...ink(700, 28, 34, { margin: 0, letterSpacing: '-0.4px' })}>{clean(text)}</h1>
      {lead === '' ? null : <div {...pale(16, 24, { paddingTop: 2 })}>{clean(lead)}</div>}
    </>
  )
}

/** The bar is three cells: taken, a dot, free. */
function Seats({ available, capacity, text, note }: Of<'seats'>) {
  const hasBar = available !== null && capacity !== null && capacity > 0 && available <= capacity
  const taken = hasBar ? Math.min(96, Math.max(2, Math.round((100 * (capacity - available)) / capacity))) : 0
  const bar = (color: string, radius: string): CSSProperties => ({
    height: 5,
    lineHeight: '5px',
    fontSize: 0,
    background: color,
    borderRadius: radius,
  })
  return (
    <>
      {hasBar ? (
        <div style={{ padding: '4px 0 6px' }}>
          <Table>
            <tr>
              <td width={`${taken}%`} style={{ verticalAlign: 'middle' }}>
                <div className="taken" style={bar('#9c9fae', '3px 0 0 3px')}>
                  &nbsp;
                </div>
              </td>
              <td width={12} style={{ verticalAlign: 'middle' }}>
                <div
                  style={{ width: 12, height: 12, lineHeight: '12px', fontSize: 0, background: GREEN, borderRadius: 6 }}
                >
                  &nbsp;
                </div>
              </td>
              <td style={{ verticalAlign: 'middle' }}>
                <div className="free" style={bar('#8fdcaa', '0 3px 3px 0')}>
                  &nbsp;
                </div>
              </td>
            </tr>
          </Table>
        </div>
      ) : null}
      <b>{clean(text)}</b>{' '}
      <span className="pale" style={{ color: PALE }}>
        {clean(note)}
      </span>
    </>
  )
}

function NumberBox({ label, value }: Of<'number'>) {
  return (
    <Table>
      <tr>
        <td
          className="box"
          style={{ padding: '12px 20px', border: '1px solid #cfcbc3', borderRadius: 12, background: '#fbfaf7' }}
        >
          {label === '' ? null : <div {...pale(13, 18)}>{clean(label)}</div>}
          <span
            className="ink mono"
            style={{ font: '700 32px/38px ui-monospace,Menlo,Consolas,monospace', letterSpacing: '1px', color: INK }}
          >
            {clean(value)}
          </span>
        </td>
      </tr>
    </Table>
  )
}

function ActionButton({ label, url, isAddressShown }: Of<'button'>) {
  return (
    <>
      <a
        href={url}
        style={{
          ...font(600, 16, 22),
          display: 'block',
          padding: '15px 20px',
          borderRadius: 12,
          background: ACCENT,
          color: '#ffffff',
          textAlign: 'center',
          textDecoration: 'none',
        }}
      >
        {clean(label)}
      </a>
      {isAddressShown ? (
        <div {...pale(13, 20, { paddingTop: 12 })}>
          Or open this address: <br />
          {url}
        </div>
      ) : null}
    </>
  )
}

function Links({ links }: Of<'links'>) {
  return (
    <div style={{ ...font(600, 14, 20), textAlign: 'center' }}>
      {links.map(({ label, url }) => (
        <a
          key={label}
          href={url}
          className="go"
          style={{ display: 'inline-block', padding: '12px 10px', color: ACCENT, textDecoration: 'none' }}
        >
          {clean(label)}
        </a>
      ))}
    </div>
  )
}

function Facts({ facts }: Of<'facts'>) {
  return (
    <table role="presentation" cellPadding={0} cellSpacing={0}>
      <tbody>
        {facts.map(({ name, value }) => (
          <tr key={name}>
            <td {...pale(14, 20, { padding: '5px 20px 5px 0', whiteSpace: 'nowrap', verticalAlign: 'top' })}>
              {clean(name)}
            </td>
            <td {...ink(400, 14, 20, { padding: '5px 0' })}>{clean(value)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
