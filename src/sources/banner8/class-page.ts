import { decodeHTML, decodeHTMLAttribute } from 'entities/decode'
import type { Page } from '../http.ts'
import { TokenReader } from '../markup.ts'
import { tidy } from '../text.ts'

/** A table inside a class. */
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
  links: string[]
  meetings: InnerTable | null
  seats: InnerTable | null
}

export interface ClassPage {
  classes: ShownClass[]
  /** Whether the page has its table of classes, and whether the end of the table was reached. */
  hasTable: boolean
  isWhole: boolean
  /** "No classes were found …": the page's message in place of classes; '' if there is none. */
  nothing(): string
}

const CLASSES = /sections found|detailed class information/i
const MEETINGS = /meeting times/i
const SEATS = /seating numbers/i
const NOTHING = /no (?:classes were|detailed class information) found[^.<]*/i

/**
 * Reads the list of a subject's classes or the page of one class; both have the same parts. Their HTML is malformed
 * (rows opened twice, cells never closed), so only tables and cells matter, identified by the tables' summaries: the
 * page is read tag by tag, without a tree.
 */
export function readClassPage(page: Page): ClassPage {
  const html = decodePage(page)
  const { classes, hasTable, isWhole } = new ClassReader(html).read()
  return { classes, hasTable, isWhole, nothing: () => tidy(NOTHING.exec(html)?.[0]) }
}

/** The pages declare UTF-8, but older ones are not always. */
export function decodePage({ bytes }: Pick<Page, 'bytes'>): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(bytes)
  } catch {
    return new TextDecoder('windows-1252').decode(bytes)
  }
}

/** The longest name of a tag that matters. */
const MAX_TAG = 'script'.length

class ClassReader extends TokenReader {
  readonly classes: ShownClass[] = []
  hasTable = false
  isWhole = false
  /** How many tables are open at this point, and how many of those are in the table of classes; 0 outside it. */
  #depth = 0
  #classesAt = 0
  /** The attribute that matters in the tag being read, until it has been read: the first of several counts. */
  #wanted: 'summary' | 'href' | '' = ''
  #isReading = false
  #value = ''
  #inner: InnerTable | null = null
  /** The text of a cell in a class, or of a class's heading; null outside. */
  #cell: string | null = null
  #heading: string | null = null
  #headingLink = ''
  /** The line of a class that is being read. */
  #line = ''
  #isHidden = false

  onopentagname(start: number, end: number): void {
    this.#wanted = ''
    switch (this.#tagAt(start, end)) {
      case 'script':
      case 'style':
        this.#isHidden = true
        break
      case 'table':
        this.#openTable()
        break
      case 'tr':
        this.#endCell()
        if (this.#isAt(1)) this.#inner?.rows.push([])
        break
      case 'td':
        this.#endCell()
        if (this.#isAt(1)) this.#cell = ''
        break
      case 'th':
        this.#endCell()
        if (this.#isAt(1)) this.#cell = ''
        else if (this.#isAt(0)) this.#openHeading()
        break
      case 'a':
        if (this.#isAt(0)) this.#wanted = 'href'
        break
      case 'br':
        if (this.#isAt(0)) this.#endLine()
    }
  }

  onattribname(start: number, end: number): void {
    const wanted = this.#wanted
    this.#isReading =
      wanted !== '' && end - start === wanted.length && this.html.slice(start, end).toLowerCase() === wanted
  }

  onattribdata(start: number, end: number): void {
    if (this.#isReading) this.#value += this.html.slice(start, end)
  }

  onattribend(): void {
    if (!this.#isReading) return
    const value = decodeHTMLAttribute(this.#value)
    if (this.#wanted === 'summary') this.#readSummary(value)
    else this.#readLink(value)
    this.#isReading = false
    this.#wanted = ''
    this.#value = ''
  }

  ontext(start: number, end: number): void {
    if (this.#isHidden) return
    if (this.#cell !== null) this.#cell += this.#textAt(start, end)
    else if (this.#heading !== null) this.#heading += this.#textAt(start, end)
    else if (this.#isAt(0)) this.#line += this.#textAt(start, end)
  }

  onclosetag(start: number, end: number): void {
    switch (this.#tagAt(start, end)) {
      case 'script':
      case 'style':
        this.#isHidden = false
        break
      case 'table':
        this.#closeTable()
        break
      case 'tr':
      case 'td':
      case 'th':
        this.#endCell()
    }
  }

  #tagAt(start: number, end: number): string {
    return end - start > MAX_TAG ? '' : this.html.slice(start, end).toLowerCase()
  }

  #textAt(start: number, end: number): string {
    return decodeHTML(this.html.slice(start, end))
  }

  /** Whether this point is this many tables deep in the table of classes. */
  #isAt(tables: number): boolean {
    return this.#classesAt > 0 && this.#depth === this.#classesAt + tables
  }

  #openTable(): void {
    this.#depth++
    this.#wanted = 'summary'
    if (this.#isAt(1)) this.#inner = { rows: [], isWhole: false }
  }

  #readSummary(summary: string): void {
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
    if (link === '') return
    if (this.#heading !== null) this.#headingLink = link
    else this.classes.at(-1)?.links.push(link)
  }

  #openHeading(): void {
    this.#endLine()
    this.#heading = ''
    this.#headingLink = ''
  }

  /** A cell, or a heading, ends where the next one or a row begins or ends, because not all are closed. */
  #endCell(): void {
    if (this.#cell !== null && this.#isAt(1)) {
      this.#inner?.rows.at(-1)?.push(tidy(this.#cell))
      this.#cell = null
    } else if (this.#heading !== null && this.#isAt(0)) {
      const [heading, link] = [tidy(this.#heading), this.#headingLink]
      this.classes.push({ heading, link, lines: [], links: [], meetings: null, seats: null })
      this.#heading = null
    }
  }

  #closeTable(): void {
    if (this.#depth === 0) return
    this.#endCell()
    if (this.#isAt(1) && this.#inner !== null) {
      this.#inner.isWhole = true
      this.#inner = null
    } else if (this.#isAt(0)) {
      this.#endLine()
      this.isWhole = true
      // The tables that follow only have links.
      this.#classesAt = -1
    }
    this.#depth--
  }

  #endLine(): void {
    const line = tidy(this.#line)
    if (line !== '') this.classes.at(-1)?.lines.push(line)
    this.#line = ''
  }
}
