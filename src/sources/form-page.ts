import { readMarkup } from './markup.ts'
import { tidy } from './text.ts'

export interface Choice {
  value: string
  label: string
}

export interface FormPage {
  /**
   * The options of each select by its name and by its id, without blank ones. A select without options is included,
   * with an empty list.
   */
  selects: ReadonlyMap<string, Choice[]>
  /** Checkboxes by their name, each with the text of its label. */
  checkboxes: ReadonlyMap<string, Choice[]>
  /** The text that a person reads. */
  text: string
  /** Whether the end of the form was reached, so that all of its options were read. */
  isWhole: boolean
  /** Whether the end of the page was reached. */
  hasEnd: boolean
}

/** Reads the form of a small page, whether or not its options are closed. */
export function readFormPage(html: string): FormPage {
  const selects = new Map<string, Choice[]>()
  const boxes: { name: string; value: string; id: string }[] = []
  const labels = new Map<string, string>()
  let options: Choice[] | null = null
  let option: Choice | null = null
  let label: { id: string; text: string } | null = null
  let text = ''
  let isWhole = false
  let hasEnd = false
  readMarkup(html, {
    onopentag(tag, attributes) {
      if (tag === 'select') {
        options = []
        for (const name of [attributes.name, attributes.id]) if (name !== undefined) selects.set(name, options)
      } else if (tag === 'option') options?.push((option = { value: (attributes.value ?? '').trim(), label: '' }))
      else if (tag === 'label') label = { id: attributes.for ?? '', text: '' }
      else if (tag === 'input' && attributes.type?.toLowerCase() === 'checkbox') {
        boxes.push({ name: attributes.name ?? '', value: (attributes.value ?? '').trim(), id: attributes.id ?? '' })
      }
    },
    ontext(part) {
      text += part
      if (option !== null) option.label += part
      if (label !== null) label.text += part
    },
    onclosetag(tag, isImplied) {
      if (tag === 'option') option = null
      else if (tag === 'select') options = null
      else if (tag === 'form') isWhole ||= !isImplied
      else if (tag === 'html') hasEnd ||= !isImplied
      else if (tag === 'label' && label !== null) {
        labels.set(label.id, tidy(label.text))
        label = null
      }
    },
  })
  return {
    selects: new Map([...selects].map(([name, choices]) => [name, choices.map(readChoice).filter(isFilled)])),
    checkboxes: Map.groupBy(
      boxes.map(({ name, value, id }) => ({ name, value, label: labels.get(id) ?? '' })).filter(isFilled),
      ({ name }) => name,
    ),
    text: tidy(text),
    isWhole: isWhole || hasEnd,
    hasEnd,
  }
}

function readChoice({ value, label }: Choice): Choice {
  return { value, label: tidy(label) }
}

function isFilled({ value, label }: Choice): boolean {
  return value !== '' && label !== ''
}
