import type { SiteContext } from './site.ts'

const callPaths = [
  /^\/classcords\/ajax\//,
  /^\/class_tracker\/(?:get|refresh|fetch|remove|retry)_/,
  /^\/class_tracker\/(?:add_watched_section|add_recipient|recipients)(?:\/|$)/,
  /^\/push\//,
  /\.json\/?$/,
]

/** Whether the response is JSON: for a call, a `.json` address, or a client that prefers JSON to a page. */
export function wantsJson(c: SiteContext): boolean {
  const { pathname } = new URL(c.req.url)
  return callPaths.some((path) => path.test(pathname)) || prefersJson(c.req.header('accept') ?? '')
}

/** Whether an Accept header prefers JSON (RFC 9110 §12.5.1). A tie goes to the page if HTML is named. */
export function prefersJson(accept: string): boolean {
  const quality = new Map<string, number>()
  for (const range of accept.toLowerCase().split(',')) {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim())
    const given = parameters.find((parameter) => parameter.startsWith('q='))
    const parsed = given === undefined ? 1 : Number(given.slice(2))
    quality.set(type, Number.isFinite(parsed) ? parsed : 0)
  }
  const json = quality.get('application/json') ?? 0
  const page = quality.get('text/html')
  const anything = quality.get('text/*') ?? quality.get('*/*') ?? 0
  return json > 0 && (page === undefined ? json >= anything : json > page)
}
