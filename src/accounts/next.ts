const MAX_LENGTH = 2000

/**
 * Where to go next: a path of this site, as a browser would read it, or null. Everything that a browser could interpret
 * as another site is refused: schemes, `//host`, backslashes (browsers turn them into slashes), control characters
 * (browsers drop tabs and line ends), and paths that become `//host` only once dots are resolved.
 */
export function safeNext(asked: string | null | undefined): string | null {
  if (!asked || asked.length > MAX_LENGTH || !asked.startsWith('/') || asked.includes('\\') || hasControl(asked))
    return null
  const base = 'http://this.invalid'
  const url = URL.parse(asked, base)
  if (url === null || url.origin !== base || url.username !== '' || url.pathname.startsWith('//')) return null
  return url.pathname + url.search + url.hash
}

/** The address of a page that leads to `next` afterwards; '' for the usual place. */
export const withNext = (page: string, next: string): string =>
  next === '' ? page : `${page}?${new URLSearchParams({ next })}`

/** C0 and C1 control characters, delete, and Unicode's own line ends. */
function hasControl(text: string): boolean {
  return /[\p{Cc}\p{Zl}\p{Zp}]/u.test(text)
}

/** The front page of the area a path belongs to. */
export function frontPageOf(path: string | null): string {
  const area = /^\/(class_tracker|classcords)(?:\/|$)/.exec(path ?? '')?.[1]
  return area ? `/${area}/` : '/'
}
