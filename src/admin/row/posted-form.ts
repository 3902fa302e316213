import type { AdminChange, AdminInlineChange, AdminRow, AdminValue } from '../../web/admin-change.ts'
import { textField } from '../../web/parse.ts'
import type { Field, Table, Tables } from '../table.ts'
import { initialValue, parseValue, requiredText, shownValue } from './field-values.ts'
import {
  type Control,
  formOfParts,
  type FormState,
  isShownOnly,
  nameIn,
  type Option,
  type Part,
  presentOption,
} from './form-state.ts'
import type { KnownRow } from './read-row.ts'
import type { FormError } from '../../web/refusal.ts'

/** What a search or a key in a reference's control found, by the control's name. */
export interface Found {
  options: readonly Option[]
  isMore: boolean
}

export interface ReadForm {
  state: FormState
  values: AdminRow
  inlines: AdminChange['inlines']
  errors: FormError[]
}

/** Whether a posted form has the control at all: what was not sent stays as it is. */
const isSent = (form: FormData, name: string): boolean => form.has(name) || form.has(`${name}-search`)

interface Posted {
  form: FormData
  /** The row that is changed; null for a new one. */
  known?: KnownRow | null
  /** What was found for the controls that refer to other rows. */
  found?: ReadonlyMap<string, Found>
  timeZone: string
}

/** The form as it was posted, on top of what is known, with each error at its field. */
export function postedForm(tables: Tables, table: Table, posted: Posted): ReadForm {
  const { form, known = null } = posted
  const reader = new FormReader(tables, posted)
  const state = formOfParts(table, known, (part) => reader.controlsOf(part))
  for (const { rows } of state.inlines) {
    for (const row of rows) row.isRemoved = row.key !== null && textField(form, `${row.prefix}-remove`) !== ''
  }
  const inlines = state.inlines.map(({ inline, rows }) => [
    inline.name,
    rows.flatMap((row): AdminInlineChange[] => {
      const values = reader.valuesOf.get(row.prefix)
      const before = known?.inlines[inline.name]?.find(({ key }) => key === row.key)?.values ?? null
      return values
        ? [{ key: row.key, prefix: row.prefix, before, values, isRemoved: row.isRemoved && inline.mayDelete }]
        : []
    }),
  ])
  const removed = state.inlines.flatMap(({ rows }) =>
    rows.filter((row) => row.isRemoved).map((row) => `${row.prefix}-`),
  )
  return {
    state,
    values: reader.valuesOf.get('') ?? {},
    inlines: Object.fromEntries(inlines) as AdminChange['inlines'],
    // Errors in a row that is being deleted do not matter.
    errors: reader.errors.filter(({ field = '' }) => !removed.some((prefix) => field.startsWith(prefix))),
  }
}

/** Reads the posted controls of one part after another, and keeps their values and errors. */
class FormReader {
  readonly errors: FormError[] = []
  /** By the part's prefix. A row to add that was left unchanged has none. */
  readonly valuesOf = new Map<string, AdminRow>()
  readonly #tables: Tables
  readonly #posted: Posted

  constructor(tables: Tables, posted: Posted) {
    this.#tables = tables
    this.#posted = posted
  }

  controlsOf(part: Part): Control[] {
    const { form } = this.#posted
    const values: Record<string, AdminValue> = {}
    const isBlank = part.prefix.endsWith('-new') && isUntouched(part, form)
    const controls = part.fields.flatMap((field): Control[] => {
      const present = part.known ? (part.known[field.name] ?? null) : initialValue(field)
      if (isShownOnly(field, part.known) || !isSent(form, nameIn(part, field))) {
        values[field.name] = present
        return this.#presentControl(part, field, { present, isBlank })
      }
      const { control, value } = this.#postedControl(part, field, { present, isBlank })
      values[field.name] = value
      return [control]
    })
    if (!isBlank) this.valuesOf.set(part.prefix, values)
    return controls
  }

  /** A control that was not posted shows the present value. */
  #presentControl(part: Part, field: Field, { present, isBlank }: PresentField): Control[] {
    const name = nameIn(part, field)
    const isReadOnly = isShownOnly(field, part.known)
    if (isReadOnly && part.known === null) return []
    const shown = shownValue(field, present, this.#posted.timeZone)
    const isMissing = !isReadOnly && !part.known && !isBlank && field.isRequired && (present === null || present === '')
    const error = isMissing ? requiredText : ''
    if (isMissing) this.errors.push({ field: name, message: error })
    return [{ field, name, shown, isReadOnly, options: presentOption(part, field, shown), searched: '', error }]
  }

  #postedControl(
    part: Part,
    field: Field,
    { present, isBlank }: PresentField,
  ): { control: Control; value: AdminValue } {
    const { form, found, timeZone } = this.#posted
    const name = nameIn(part, field)
    const control =
      field.kind === 'reference' ? chosen(part, field, form, found?.get(name)) : typedInto(field, name, form)
    const parsed =
      control.error === ''
        ? parseValue(this.#tables, field, { typed: control.shown, known: present, timeZone })
        : { error: control.error }
    const error = 'error' in parsed && !isBlank ? parsed.error : ''
    if (error !== '') this.errors.push({ field: name, message: error })
    return { control: { ...control, error }, value: 'value' in parsed ? parsed.value : present }
  }
}

interface PresentField {
  present: AdminValue
  /** Whether it is of a row to add that was left unchanged. */
  isBlank: boolean
}

function typedInto(field: Field, name: string, form: FormData): Control {
  const sent = form.getAll(name).filter((value) => typeof value === 'string')
  // A check box has a hidden field beside it, so that an empty box is sent too.
  const shown =
    field.kind === 'boolean' ? (sent.some((value) => value !== '' && value !== '0') ? '1' : '0') : (sent[0] ?? '')
  return { field, name, shown, isReadOnly: false, options: [], searched: '', error: '' }
}

function chosen(part: Part, field: Field, form: FormData, found: Found | undefined): Control {
  const name = nameIn(part, field)
  const searched = textField(form, `${name}-search`).trim()
  const sent = textField(form, name)
  const present = presentOption(part, field, String(part.known?.[field.name] ?? ''))
  const options = [...(found?.options ?? []), ...present].filter(
    ({ value }, index, all) => all.findIndex((one) => one.value === value) === index,
  )
  const control = { field, name, shown: sent, isReadOnly: false, options, searched, error: '' }
  if (searched === '') {
    const isThere = sent === '' || options.some(({ value }) => value === sent)
    return isThere ? control : { ...control, shown: '', error: 'This no longer exists. Choose another.' }
  }
  const [first, second] = found?.options ?? []
  if (!first) return { ...control, error: `Nothing was found for “${searched}”.` }
  if (!second) return { ...control, shown: first.value, searched: '' }
  const number = `${found?.isMore ? 'More than ' : ''}${found?.options.length ?? 0}`
  return {
    ...control,
    shown: '',
    searched: '',
    error: `${number} found for “${searched}”. Choose one, or search again.`,
  }
}

/** Whether the row to add was left unchanged. */
function isUntouched(part: Part, form: FormData): boolean {
  return part.fields.every((field) => {
    const name = nameIn(part, field)
    if (textField(form, `${name}-search`).trim() !== '') return false
    if (field.kind === 'boolean' || field.kind === 'choice') return true
    const sent = textField(form, name).trim()
    return sent === '' || sent === String(field.initial ?? '')
  })
}
