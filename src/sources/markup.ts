import { type Handler, Parser } from 'htmlparser2'

/**
 * Elements that may be open at once. The parser takes longer for a tag the more are open around it. Recorded pages have at
 * most 11; a page with far more is not read to its end.
 */
export const MAX_OPEN = 500

type Listener = Required<Pick<Handler, 'onopentag' | 'ontext' | 'onclosetag'>>

/** Reads a page tag by tag. @returns false if its tags are nested too deeply, so that it was not read to its end */
export function readMarkup(html: string, { onopentag, ontext, onclosetag }: Listener): boolean {
  let open = 0
  let isTooDeep = false
  const parser = new Parser({
    onopentagname() {
      if (++open <= MAX_OPEN) return
      isTooDeep = true
      parser.pause()
    },
    onopentag,
    ontext,
    onclosetag(tag, isImplied) {
      open--
      onclosetag(tag, isImplied)
    },
  })
  parser.write(html)
  parser.end()
  return !isTooDeep
}
