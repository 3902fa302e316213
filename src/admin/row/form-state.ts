import type { AdminKey, AdminRow } from '../../web/admin-change.ts'
import type { AdminFieldShape } from '../../web/admin-table.ts'
import type { Field, Inline, Table } from '../table.ts'
import { initialValue, shownValue } from './field-values.ts'
import type { KnownRow } from './read-row.ts'
import type { FormError } from '../../web/refusal.ts'

export interface Option {
  value: string
  label: string
}

/** One control of a form as it is to be shown. */
export interface Control {
  field: Field
  /** Its name in the form, and its id. */
  name: string
  shown: string
  isReadOnly: boolean
  /** For a reference: the options, including the current one. */
  options: readonly Option[]
  /** For a reference: a search that has not led to a choice yet. */
  searched: string
  error: string
  /** The phone keyboard to show; default: letters. */
  inputMode?: AdminFieldShape['inputMode']
}

export interface InlineControls {
  key: number | null
  prefix: string
  isRemoved: boolean
  controls: Control[]
}

/** A form with everything typed into it. */
export interface FormState {
  controls: Control[]
  inlines: { inline: Inline; rows: InlineControls[] }[]
}

/** The fields of one row: their prefix and their known values. */
export interface Part {
  fields: readonly Field[]
  prefix: string
  known: AdminRow | null
  references: ReadonlyMap<string, string>
}

export const nameIn = ({ prefix }: Pick<Part, 'prefix'>, field: Field): string =>
  prefix === '' ? field.name : `${prefix}-${field.name}`

export const isShownOnly = (field: Field, known: AdminRow | null): boolean =>
  field.readOnly === 'always' || (field.readOnly !== undefined && known !== null)

/** The unedited form of a row, or of a row to add with the values that the URL gives. */
export function untouchedForm(
  table: Table,
  known: KnownRow | null,
  given: URLSearchParams,
  timeZone: string,
): FormState {
  const controlsOf = (part: Part): Control[] =>
    part.fields.flatMap((field) => {
      const isReadOnly = isShownOnly(field, part.known)
      if (isReadOnly && part.known === null) return []
      const name = nameIn(part, field)
      const value = part.known ? (part.known[field.name] ?? null) : (given.get(name) ?? initialValue(field))
      const shown = typeof value === 'string' ? value : shownValue(field, value, timeZone)
      return [{ field, name, shown, isReadOnly, options: presentOption(part, field, shown), searched: '', error: '' }]
    })
  return formOfParts(table, known, controlsOf)
}

export function presentOption(part: Part, field: Field, shown: string): Option[] {
  if (field.kind !== 'reference' || shown === '') return []
  return [{ value: shown, label: part.references.get(field.name) ?? `Number ${shown}` }]
}

export function formOfParts(table: Table, known: KnownRow | null, controlsOf: (part: Part) => Control[]): FormState {
  const none: ReadonlyMap<string, string> = new Map()
  const own = { fields: table.fields, prefix: '', known: known?.values ?? null, references: known?.references ?? none }
  return {
    controls: controlsOf(own),
    inlines: table.inlines.map((inline) => {
      const rows = (known?.inlines[inline.name] ?? []).map((row) => ({
        key: row.key,
        prefix: `${inline.name}-${row.key}`,
        isRemoved: false,
        controls: controlsOf({
          fields: inline.fields,
          prefix: `${inline.name}-${row.key}`,
          known: row.values,
          references: row.references,
        }),
      }))
      const prefix = `${inline.name}-new`
      const isRoom = inline.mayAdd && rows.length < inline.maximum
      const added = { fields: inline.fields, prefix, known: null, references: none }
      return {
        inline,
        rows: isRoom ? [...rows, { key: null, prefix, isRemoved: false, controls: controlsOf(added) }] : rows,
      }
    }),
  }
}

/** Assigns errors that were found later to their controls. Returns those without a control. */
export function attachErrors(state: FormState, errors: readonly FormError[]): FormError[] {
  const controls = [...state.controls, ...state.inlines.flatMap(({ rows }) => rows.flatMap((row) => row.controls))]
  return errors.filter(({ field, message }) => {
    const control = controls.find(({ name, isReadOnly }) => name === field && !isReadOnly)
    if (control && control.error === '') control.error = message
    return !control
  })
}

export type Saved =
  | { kind: 'saved'; key: AdminKey; message: string }
  /** Nothing was written: the person who asks must first confirm who they are. */
  | { kind: 'unconfirmed' }
  /** Nothing was written; the form goes back as it was filled. `known` is the row as it is now. */
  | { kind: 'refused'; status: 200 | 409 | 422; state: FormState; errors: FormError[]; known: KnownRow | null }
