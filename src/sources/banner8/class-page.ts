import { type Handler, Parser } from 'htmlparser2'
import type { Page } from '../http.ts'
import { MAX_OPEN } from '../markup.ts'
import { decodeAttribute, decodeText } from '../references.ts'
import { tidy } from '../text.ts'

/** A table inside a class: its rows of cells, heads and others alike. */
export interface InnerTable {
  rows: string[][]
  /** Whether its end was reached. */
  isWhole: boolean
}

/** A class as a page shows it: a heading, lines of text, and tables. */
export interface ShownClass {
  heading: string
  /** The heading's link; '' if it is not a link. */
  link: string
  /** The text in the lines that a reader sees, without blank ones. */
  lines: string[]
  /** The links in the text. */
  links: string[]
  meetings: InnerTable | null
  seats: InnerTable | null
}

export interface ClassPage {
  classes: ShownClass[]
  /** Whether the page has its table of classes, and whether the end of the table was reached. */
  hasTable: boolean
  isWhole: boolean
  /** Whether reading stopped because the tags are nested far deeper than on any real page. */
  isTooDeep: boolean
  /**
   * "No classes were found …", "No detailed class information found": the page's message in place of classes; '' if
   * there is none.
   */
  nothing(): string
}

const CLASSES = /sections found|detailed class information/i
const MEETINGS = /meeting times/i
const SEATS = /seating numbers/i
const NOTHING = /no (?:classes were|detailed class information) found[^.<]*/i

/**
 * Reads the list of a subject's classes or the page of one class; both have the same parts. Their HTML is malformed
 * (rows opened twice, cells never closed), so only tables and cells matter, identified by the tables' summaries.
 */
export function readClassPage(page: Page): ClassPage {
  const html = decodePage(page)
  const reader = new ClassReader()
  // Character references are decoded only in the texts that matter, so that the parser can skip all others.
  const parser = new Parser(reader, { decodeEntities: false })
  reader.stop = () => parser.pause()
  parser.write(html)
  parser.end()
  const { classes, hasTable, isWhole, isTooDeep } = reader
  return { classes, hasTable, isWhole, isTooDeep, nothing: () => tidy(NOTHING.exec(html)?.[0]) }
}

/** The pages declare UTF-8, but older ones are not always. */
export function decodePage({ bytes }: Pick<Page, 'bytes'>): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(bytes)
  } catch {
    return new TextDecoder('windows-1252').decode(bytes)
  }
}

class ClassReader implements Partial<Handler> {
  readonly classes: ShownClass[] = []
  hasTable = false
  isWhole = false
  isTooDeep = false
  stop: () => void = () => undefined
  /** The elements that are open at this point. */
  #open = 0
  /** How many of them are tables, and how many of those are in the table of classes; 0 outside it. */
  #depth = 0
  #classesAt = 0
  /** The tag that is being read, until its relevant attribute has been read: the first of several counts. */
  #tag = ''
  #inner: InnerTable | null = null
  /** The text of a cell in a class, or of a class's heading; null outside. */
  #cell: string | null = null
  #heading: string | null = null
  #headingLink = ''
  /** The line of a class that is being read. */
  #line = ''
  #hidden = 0

  onopentagname(tag: string): void {
    this.#tag = tag
    if (++this.#open > MAX_OPEN) {
      this.isTooDeep = true
      this.stop()
    }
    switch (tag) {
      case 'script':
      case 'style':
        this.#hidden++
        break
      case 'table':
        this.#openTable()
        break
      case 'tr':
        if (this.#inner !== null && this.#isAt(1)) this.#inner.rows.push([])
        break
      case 'td':
      case 'th':
        if (this.#inner !== null && this.#isAt(1)) this.#cell = ''
        else if (tag === 'th' && this.#isAt(0)) this.#openHeading()
        break
      case 'br':
        if (this.#isAt(0)) this.#endLine()
    }
  }

  onattribute(name: string, value: string): void {
    if (this.#tag === 'table' && name === 'summary') this.#readSummary(decodeAttribute(value))
    else if (this.#tag === 'a' && name === 'href' && this.#isAt(0)) this.#readLink(decodeAttribute(value))
  }

  ontext(text: string): void {
    if (this.#hidden > 0) return
    if (this.#cell !== null) this.#cell += decodeText(text)
    else if (this.#heading !== null) this.#heading += decodeText(text)
    else if (this.#isAt(0)) this.#line += decodeText(text)
  }

  onclosetag(tag: string, isImplied: boolean): void {
    this.#open--
    switch (tag) {
      case 'script':
      case 'style':
        this.#hidden = Math.max(0, this.#hidden - 1)
        break
      case 'table':
        this.#closeTable(isImplied)
        break
      case 'td':
      case 'th':
        if (this.#cell !== null) {
          this.#inner?.rows.at(-1)?.push(tidy(this.#cell))
          this.#cell = null
        } else if (tag === 'th' && this.#heading !== null) {
          const [heading, link] = [tidy(this.#heading), this.#headingLink]
          this.classes.push({ heading, link, lines: [], links: [], meetings: null, seats: null })
          this.#heading = null
        }
    }
  }

  /** Whether this point is this many tables deep in the table of classes. */
  #isAt(tables: number): boolean {
    return this.#classesAt > 0 && this.#depth === this.#classesAt + tables
  }

  #openTable(): void {
    this.#depth++
    if (this.#isAt(1)) this.#inner = { rows: [], isWhole: false }
  }

  #readSummary(summary: string): void {
    this.#tag = ''
    if (this.#classesAt === 0 && CLASSES.test(summary)) {
      this.#classesAt = this.#depth
      this.hasTable = true
    } else if (this.#isAt(1)) {
      const shown = this.classes.at(-1)
      if (shown && MEETINGS.test(summary)) shown.meetings ??= this.#inner
      if (shown && SEATS.test(summary)) shown.seats ??= this.#inner
    }
  }

  #readLink(link: string): void {
    this.#tag = ''
    if (link === '') return
    if (this.#heading !== null) this.#headingLink = link
    else this.classes.at(-1)?.links.push(link)
  }

  #openHeading(): void {
    this.#endLine()
    this.#heading = ''
    this.#headingLink = ''
  }

  #closeTable(isImplied: boolean): void {
    if (this.#inner !== null && this.#isAt(1)) {
      this.#inner.isWhole = !isImplied
      this.#inner = null
      this.#cell = null
    } else if (this.#isAt(0)) {
      this.#endLine()
      this.isWhole = !isImplied
      // The tables that follow only have links.
      this.#classesAt = -1
    }
    this.#depth--
  }

  /** The line read so far belongs to the last class. */
  #endLine(): void {
    const line = tidy(this.#line)
    if (line !== '') this.classes.at(-1)?.lines.push(line)
    this.#line = ''
  }
}
