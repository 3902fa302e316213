import { bytesOf } from '../../lib/text.ts'
import { known, unknown } from '../answer.ts'
import { isHtml, type Page } from '../http.ts'
import { afterValue } from '../json-bytes.ts'
import { isRecord } from '../json-page.ts'
import { readMarkup } from '../markup.ts'
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
  if (!isHtml(page))
    return unknown('not_the_protocol', 'The school answered with something other than its class search.')
  const html = new TextDecoder().decode(page.bytes)
  const choices = readChoices(html)
  if (!choices.isWhole) return unknown('incomplete', "The school's class search broke off.")
  const scripted = readScriptList(html)
  const listed = scripted.length > 0 ? scripted : choices.terms
  const warnings: string[] = []
  const single = listed.filter(
    ([code, name]) => code !== '' && !EVERY_TERM_CODE.test(code) && !SEVERAL_TERMS.test(name),
  )
  const terms = readTerms(new Map(single), warnings)
  return terms.length === 0 ? noTerms() : known({ terms, subjectNames: new Map(choices.subjects) }, warnings)
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

function readChoices(html: string): { terms: Choices; subjects: Choices; isWhole: boolean } {
  const lists: { terms: Choices; subjects: Choices } = { terms: [], subjects: [] }
  let list: Choices | null = null
  let isWhole = false
  let option: [code: string, name: string] | null = null
  readMarkup(html, {
    onopentag(tag, { id = '', name = '', value = '' }) {
      if (tag === 'select') list = listOf(`${id} ${name}`, lists)
      else if (tag === 'option') list?.push((option = [value.trim(), '']))
    },
    ontext(part) {
      if (option !== null) option[1] += part
    },
    onclosetag(tag, isImplied) {
      if (tag === 'option') option = null
      else if (tag === 'select') list = null
      else if (tag === 'html') isWhole ||= !isImplied
    },
  })
  return { terms: named(lists.terms), subjects: named(lists.subjects), isWhole }
}

/** "Mathematics (MATH)" is named Mathematics. */
function named(choices: Choices): Choices {
  return choices
    .map(([code, name]): Choices[number] => [code, tidy(name.replace(`(${code})`, ''))])
    .filter(([code, name]) => code !== '' && name !== '')
}

function listOf(names: string, { terms, subjects }: { terms: Choices; subjects: Choices }): Choices | null {
  if (TERM_CHOICE.test(names)) return terms
  return SUBJECT_CHOICE.test(names) ? subjects : null
}
