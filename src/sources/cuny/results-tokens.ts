import { TokenReader } from '../markup.ts'

/** A row of the results, with entities not yet decoded and `<br>` as a line break. */
export interface ResultRow {
  /** In the order of {@link CELLS}; undefined for missing cells. */
  cells: (string | undefined)[]
  /** The picture in the Status cell; its `alt` says "Open" regardless of the status. */
  statusTitle: string
  statusFile: string
  /** The link to the class's own page, as written; '' if the number is not a link. */
  link: string
  /** The position of its headings in the lists of {@link ResultTokens}; -1 before the first. */
  course: number
  institution: number
}

/** The texts of the results page. Values in bold are between \u0001 and \u0002. */
export interface ResultTokens {
  /** "Baruch College | 2026 Fall Term" */
  title: string
  /** "68 class section(s) found" */
  found: string
  /** The criteria as the site understood them. */
  criteria: string
  institutions: string[]
  courses: string[]
  rows: ResultRow[]
}

type Region = 'title' | 'found' | 'message' | 'cell'

/**
 * Reads the results page token by token. Its HTML is malformed (most rows are never closed), so no tree is built: cells
 * are identified by their `data-label`, and a row begins with its "Class" cell. The legend's pictures are outside all
 * cells.
 */
export function readResultTokens(html: string): ResultTokens {
  return new Reader(html).read().tokens
}

/** The cells a section is read from, by their labels. */
export const CELLS = [
  'Class',
  'Section',
  'DaysAndTimes',
  'Instructor',
  'Instruction Mode',
  'Status',
  'Course Topic',
  'Room',
  'Meeting Dates',
] as const
/** Each row must have all cells before this one, or the page broke off. */
export const NEEDED_CELLS = CELLS.indexOf('Room')
const CLASS = CELLS.indexOf('Class')
const STATUS = CELLS.indexOf('Status')
const LABELS: readonly string[] = CELLS

/** The attribute at `start`, if it is relevant; most (styles, links) are not worth creating a string for. */
function notedAttribute(html: string, start: number, length: number): string {
  if (length === 5) return html.startsWith('class', start) ? 'class' : html.startsWith('title', start) ? 'title' : ''
  if (length === 10) return html.startsWith('data-label', start) ? 'data-label' : ''
  if (length === 3) return html.startsWith('src', start) ? 'src' : ''
  if (length === 4) return html.startsWith('href', start) ? 'href' : ''
  return length === 2 && html.startsWith('id', start) ? 'id' : ''
}

class Reader extends TokenReader {
  readonly tokens: ResultTokens = { title: '', found: '', criteria: '', institutions: [], courses: [], rows: [] }
  #tag = ''
  #attribute = ''
  #value = ''
  #class = ''
  #dataLabel = ''
  #id = ''
  #imageTitle = ''
  #imageSource = ''
  #link = ''
  #region: Region | null = null
  #text = ''
  /** The id of a heading's link, which distinguishes institutions from courses. */
  #linkId = ''
  /** The position in {@link CELLS} of the current cell; -1 for other cells. */
  #cell = -1
  #isInShadowBox = false
  #row: ResultRow | null = null

  onopentagname(start: number, end: number): void {
    this.#tag = this.html.slice(start, end).toLowerCase()
    this.#class = ''
    this.#dataLabel = ''
    this.#id = ''
    this.#imageTitle = ''
    this.#imageSource = ''
    this.#link = ''
  }

  onattribname(start: number, end: number): void {
    this.#value = ''
    const isRelevant = this.#tag !== 'a' || this.#region === 'message' || this.#isInClassCell
    this.#attribute = isRelevant ? notedAttribute(this.html, start, end - start) : ''
  }

  onattribdata(start: number, end: number): void {
    if (this.#attribute !== '') this.#value += this.html.slice(start, end)
  }

  onattribend(): void {
    switch (this.#attribute) {
      case 'class':
        this.#class = this.#value
        break
      case 'data-label':
        this.#dataLabel = this.#value
        break
      case 'id':
        this.#id = this.#value
        break
      case 'title':
        this.#imageTitle = this.#value
        break
      case 'href':
        this.#link = this.#value
        break
      case 'src':
        this.#imageSource = this.#value
    }
  }

  override onopentagend(): void {
    switch (this.#tag) {
      case 'td':
        if (this.#dataLabel !== '') this.#openCell(this.#dataLabel)
        break
      case 'br':
        if (this.#region === 'cell') this.#text += '\n'
        break
      case 'img':
        if (this.#region === 'cell' && this.#cell === STATUS && this.#row !== null) this.#notePicture(this.#row)
        break
      case 'a':
        if (this.#region === 'message') this.#linkId = this.#id
        if (this.#isInClassCell && this.#row !== null) this.#row.link = this.#link
        break
      case 'strong':
        if (this.#region === 'message') this.#text += '\u0001'
        break
      case 'div':
        this.#openDiv()
        break
      case 'p':
        if (this.#isInShadowBox && this.tokens.title === '') this.#open('title')
    }
  }

  override onselfclosingtag(): void {
    this.onopentagend()
  }

  ontext(start: number, end: number): void {
    if (this.#region !== null) this.#text += this.html.slice(start, end)
  }

  onclosetag(start: number, end: number): void {
    if (this.#region === null && !this.#isInShadowBox) return
    const tag = this.html.slice(start, end).toLowerCase()
    if (tag === 'div') this.#isInShadowBox = false
    switch (this.#region) {
      case 'cell':
        if (tag === 'td') this.#closeCell()
        break
      case 'title':
        if (tag === 'p') this.tokens.title = this.#close()
        break
      case 'found':
        if (tag === 'div') this.tokens.found = this.#close()
        break
      case 'message':
        if (tag === 'strong') this.#text += '\u0002'
        else if (tag === 'div') this.#closeMessage()
    }
  }

  get #isInClassCell(): boolean {
    return this.#region === 'cell' && this.#cell === CLASS
  }

  #openDiv(): void {
    if (this.#class === 'testing_msg') {
      this.#linkId = ''
      this.#open('message')
    } else if (this.#class === 'classfound_msg') this.#open('found')
    else if (this.#class === 'shadowbox') this.#isInShadowBox = true
  }

  #openCell(label: string): void {
    this.#cell = LABELS.indexOf(label)
    if (this.#cell === CLASS) {
      this.#row = {
        cells: CELLS.map(() => undefined),
        statusTitle: '',
        statusFile: '',
        link: '',
        course: this.tokens.courses.length - 1,
        institution: this.tokens.institutions.length - 1,
      }
      this.tokens.rows.push(this.#row)
    }
    if (this.#cell >= 0) this.#open('cell')
    else this.#region = null
  }

  /** Two different pictures in one cell count as an unknown status. */
  #notePicture(row: ResultRow): void {
    const isFirst = row.statusTitle === '' && row.statusFile === ''
    const isSame = row.statusTitle === this.#imageTitle && row.statusFile === this.#imageSource
    row.statusTitle = isFirst || isSame ? this.#imageTitle : `${row.statusTitle}, ${this.#imageTitle}`
    row.statusFile = this.#imageSource
  }

  #closeCell(): void {
    const text = this.#close()
    if (this.#row !== null) this.#row.cells[this.#cell] = text
  }

  #closeMessage(): void {
    const text = this.#close()
    if (this.#linkId.startsWith('imageDivLink_inst')) this.tokens.institutions.push(text)
    else if (this.#linkId.startsWith('imageDivLink')) this.tokens.courses.push(text)
    else if (text.includes('Course Subject')) this.tokens.criteria = text
  }

  #open(region: Region): void {
    this.#region = region
    this.#text = ''
  }

  #close(): string {
    this.#region = null
    return this.#text
  }
}
