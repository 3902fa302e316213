import { bytesOf } from '../../lib/text.ts'
import { known, unexpectedAnswer, unknown } from '../answer.ts'
import { type FormPage, readFormPage } from '../form-page.ts'
import { isHtml, type Page } from '../http.ts'
import { afterValue } from '../json-bytes.ts'
import { isRecord } from '../json-page.ts'
import type { Answer, SourceTerm } from '../source.ts'
import { noTerms, readTerms } from '../term-name.ts'
import { tidy } from '../text.ts'

export interface HomePage {
  terms: SourceTerm[]
  /** The names of subjects by their codes; empty if the page does not list them. */
  subjectNames: ReadonlyMap<string, string>
}

/** At most schools, terms are in a script's list and in a select of the form. */
const SCRIPT_LIST = /\bsrcDBs["']?\s*[:=]\s*(?=\[)/
/** `{ code: '202610', name: 'Fall 2026', … }` */
const SCRIPT_ENTRY = /\bcode["']?\s*:\s*(["'])([^"']{1,40})\1\s*,\s*["']?name["']?\s*:\s*(["'])([^"']{1,200})\3/g
const TERM_CHOICE = /srcdb/i
const SUBJECT_CHOICE = /subject/i
/** Several terms under one code: "Any Term", "All Terms (2020-2026)", "Past Terms", "Summer & Fall". */
const SEVERAL_TERMS = /\b(?:any|all|past)\b|&/i
const EVERY_TERM_CODE = /^9+$/

/** Reads the public search page; one that names no term is not believed. */
export function readHomePage(page: Page): Answer<HomePage> {
  if (!isHtml(page)) return unexpectedAnswer('its class search')
  const html = new TextDecoder().decode(page.bytes)
  const form = readFormPage(html)
  if (!form.hasEnd) return unknown('incomplete', "The school's class search broke off.")
  const scripted = readScriptList(html)
  const listed = scripted.length > 0 ? scripted : choicesOf(form, TERM_CHOICE)
  const warnings: string[] = []
  const single = listed.filter(
    ([code, name]) => code !== '' && !EVERY_TERM_CODE.test(code) && !SEVERAL_TERMS.test(name),
  )
  const terms = readTerms(new Map(single), warnings)
  return terms.length === 0
    ? noTerms()
    : known({ terms, subjectNames: new Map(choicesOf(form, SUBJECT_CHOICE)) }, warnings)
}

type Choices = [code: string, name: string][]

/** A list in a script, as JSON or JavaScript; empty if there is none. */
function readScriptList(html: string): Choices {
  const found = SCRIPT_LIST.exec(html)
  if (found === null) return []
  const start = found.index + found[0].length
  const bytes = bytesOf(html.slice(start))
  const text = new TextDecoder().decode(bytes.subarray(0, Math.max(0, afterValue(bytes, 0))))
  try {
    const list: unknown = JSON.parse(text)
    return Array.isArray(list) ? list.filter(isRecord).map(({ code, name }) => [tidy(code), tidy(name)]) : []
  } catch {
    return Array.from(text.matchAll(SCRIPT_ENTRY), ([, , code = '', , name = '']) => [code, tidy(name)])
  }
}

/** The options of the selects with such names. "Mathematics (MATH)" is named Mathematics. */
function choicesOf({ selects }: FormPage, name: RegExp): Choices {
  return [...selects]
    .flatMap(([key, choices]) => (name.test(key) ? choices : []))
    .map(({ value, label }): Choices[number] => [value, tidy(label.replace(`(${value})`, ''))])
    .filter(([, label]) => label !== '')
}
