import { Parser } from 'htmlparser2'
import type { Page } from '../http.ts'
import { tidy } from '../text.ts'

/** A table inside a class: its rows of cells, heads and others alike. */
export interface InnerTable {
  rows: string[][]
  /** Whether it came to its end. */
  isWhole: boolean
}

/** A class as a page shows it: a heading, lines of text, and tables. */
export interface ShownClass {
  heading: string
  /** Address behind the heading; '' where it is no link. */
  link: string
  /** Text by the lines that a reader sees, blank ones left out. */
  lines: string[]
  /** Addresses behind the text. */
  links: string[]
  meetings: InnerTable | null
  seats: InnerTable | null
}

export interface ClassPage {
  classes: ShownClass[]
  /** Whether the page has its table of classes at all, and whether that came to its end. */
  hasTable: boolean
  isWhole: boolean
  /** "No classes were found …", "No detailed class information found": what the page says instead; '' when it says no such thing. */
  nothing: string
}

const CLASSES = /sections found|detailed class information/i
const NOTHING = /no (?:classes were|detailed class information) found[^.<]*/i

/**
 * Reads the list of a subject's classes or the page of one class; both have the same parts. Their HTML is malformed (rows
 * opened twice, cells never closed), so only tables and cells count, told by the tables' summaries.
 */
export function readClassPage(page: Page): ClassPage {
  const html = decodePage(page)
  const reader = new ClassReader()
  const parser = new Parser(reader.handlers)
  parser.write(html)
  parser.end()
  const { classes, hasTable, isWhole } = reader
  return { classes, hasTable, isWhole, nothing: tidy(NOTHING.exec(html)?.[0]) }
}

/** The pages call themselves UTF-8; older ones are not always. */
export function decodePage({ bytes }: Pick<Page, 'bytes'>): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(bytes)
  } catch {
    return new TextDecoder('windows-1252').decode(bytes)
  }
}

class ClassReader {
  readonly classes: ShownClass[] = []
  hasTable = false
  isWhole = false
  /** Tables open around the place, and how many those are inside the table of classes; 0 outside. */
  #depth = 0
  #classesAt = 0
  #inner: InnerTable | null = null
  #cell: { text: string } | null = null
  #heading: { text: string; link: string } | null = null
  #text = ''
  #hidden = 0

  readonly handlers = {
    onopentag: (tag: string, attributes: Record<string, string>) => this.#open(tag, attributes),
    ontext: (text: string) => this.#read(text),
    onclosetag: (tag: string, isImplied: boolean) => this.#close(tag, isImplied),
  }

  #open(tag: string, { summary = '', href = '' }: Record<string, string>): void {
    if (tag === 'script' || tag === 'style') this.#hidden++
    else if (tag === 'table') this.#openTable(summary)
    else if (this.#inner !== null && this.#depth === this.#classesAt + 1) {
      if (tag === 'tr') this.#inner.rows.push([])
      else if (tag === 'td' || tag === 'th') this.#cell = { text: '' }
    } else if (this.#classesAt > 0 && this.#depth === this.#classesAt) this.#openInClass(tag, href)
  }

  #openTable(summary: string): void {
    this.#depth++
    if (this.#classesAt === 0 && CLASSES.test(summary)) {
      this.#classesAt = this.#depth
      this.hasTable = true
    } else if (this.#classesAt > 0 && this.#depth === this.#classesAt + 1) {
      const shown = this.classes.at(-1)
      this.#inner = { rows: [], isWhole: false }
      if (shown && /meeting times/i.test(summary)) shown.meetings ??= this.#inner
      if (shown && /seating numbers/i.test(summary)) shown.seats ??= this.#inner
    }
  }

  #openInClass(tag: string, href: string): void {
    if (tag === 'th') {
      this.#endText()
      this.#heading = { text: '', link: '' }
    } else if (tag === 'br') this.#text += '\n'
    else if (tag === 'a' && href !== '') {
      if (this.#heading !== null) this.#heading.link = href
      else this.classes.at(-1)?.links.push(href)
    }
  }

  #read(text: string): void {
    if (this.#hidden > 0) return
    if (this.#cell !== null) this.#cell.text += text
    else if (this.#heading !== null) this.#heading.text += text
    else if (this.#classesAt > 0 && this.#depth === this.#classesAt) this.#text += text.replaceAll(/\s+/g, ' ')
  }

  #close(tag: string, isImplied: boolean): void {
    if (tag === 'script' || tag === 'style') this.#hidden = Math.max(0, this.#hidden - 1)
    else if (tag === 'table') this.#closeTable(isImplied)
    else if ((tag === 'td' || tag === 'th') && this.#cell !== null) {
      this.#inner?.rows.at(-1)?.push(tidy(this.#cell.text))
      this.#cell = null
    } else if (tag === 'th' && this.#heading !== null) {
      const { text, link } = this.#heading
      this.classes.push({ heading: tidy(text), link, lines: [], links: [], meetings: null, seats: null })
      this.#heading = null
    }
  }

  #closeTable(isImplied: boolean): void {
    if (this.#inner !== null && this.#depth === this.#classesAt + 1) {
      this.#inner.isWhole = !isImplied
      this.#inner = null
      this.#cell = null
    } else if (this.#classesAt > 0 && this.#depth === this.#classesAt) {
      this.#endText()
      this.isWhole = !isImplied
      // What follows are tables of links.
      this.#classesAt = -1
    }
    this.#depth--
  }

  /** The text read so far is that of the last class. */
  #endText(): void {
    const lines = this.#text.split('\n').map(tidy)
    this.classes.at(-1)?.lines.push(...lines.filter((line) => line !== ''))
    this.#text = ''
  }
}
