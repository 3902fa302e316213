import { Button, LinkButton } from '../../../client/components/button.tsx'
import { DataTable } from '../../../client/components/data-table.tsx'
import { ErrorSummary } from '../../../client/components/error-summary.tsx'
import { PostForm } from '../../../client/components/post-form.tsx'
import type { AdminRow } from '../../web/admin-change.ts'
import type { PageContext } from '../../web/contract.ts'
import type { Control, FormState, InlineControls } from '../row/form-state.ts'
import { zoneField } from '../zone-time.ts'
import type { KnownRow } from '../row/read-row.ts'
import type { Panel, Table } from '../table.ts'
import { actPath, formPath, inSentence, listPath, nameOf, rowPath } from '../table-parts.ts'
import { Cell } from './cell.tsx'
import { ControlField, FactsOfRow, shapedControls } from './control.tsx'
import { Head } from './head.tsx'
import { RowAside, type RowSummary } from './row-aside.tsx'
import { firstWrongField, type FormError } from '../../web/refusal.ts'

interface Props {
  context: PageContext
  table: Table
  /** Null: a row to add. */
  known: KnownRow | null
  fingerprint: string
  state: FormState
  errors: readonly FormError[]
  panels: readonly { panel: Panel; rows: readonly AdminRow[] }[]
  /** Null if the row was not read for its own page. */
  summary: RowSummary | null
}

export function RowPage({ context, table, known, fingerprint, state, errors, panels, summary }: Props) {
  const controls = known ? shapedControls(state.controls) : state.controls
  const typed = controls.filter(({ isReadOnly }) => !isReadOnly)
  const shown = controls.filter(({ isReadOnly }) => isReadOnly)
  return (
    <div className="stack admin">
      <Head crumbs={[{ label: table.labels, href: listPath(table) }]} title={rowTitle(table, known)}>
        {known && <RowActions context={context} table={table} known={known} />}
        {known && table.mayDelete && (
          <LinkButton kind="danger" href={`${rowPath(table, known.key)}delete/`}>
            {table.deleteLabel}
          </LinkButton>
        )}
      </Head>
      <ErrorSummary
        errors={errors.map(({ field, message }) =>
          field === undefined ? { message } : { message: `${labelOf(state, field)}: ${message}`, fieldId: field },
        )}
      />
      <div className="admin-row">
        <div className="stack">
          <RowForm
            context={context}
            table={table}
            known={known}
            fingerprint={fingerprint}
            typed={typed}
            state={state}
            wrong={firstWrongField(errors)}
          />
          <FactsOfRow controls={shown} />
          {panels.map(({ panel, rows }) => (
            <PanelOfRow key={panel.heading} panel={panel} rows={rows} timeZone={context.time_zone} />
          ))}
        </div>
        {known && summary ? (
          <RowAside table={table} known={known} summary={summary} timeZone={context.time_zone} />
        ) : null}
      </div>
    </div>
  )
}

function PanelOfRow({ panel, rows, timeZone }: { panel: Panel; rows: readonly AdminRow[]; timeZone: string }) {
  return (
    <section className="stack stack-small">
      <h2>{rows.length === 0 && !panel.empty ? `${panel.heading}: none` : panel.heading}</h2>
      {rows.length === 0 ? (
        panel.empty && <p className="muted small">{panel.empty}</p>
      ) : (
        <div className="card">
          <DataTable
            className="admin-table"
            columns={panel.columns.map((column) => ({
              label: column.label,
              cell: (row: AdminRow) => <Cell shape={column} value={row[column.name] ?? null} timeZone={timeZone} />,
            }))}
            rows={rows}
          />
        </div>
      )}
    </section>
  )
}

interface RowFormProps extends Pick<Props, 'context' | 'table' | 'known' | 'fingerprint' | 'state'> {
  typed: readonly Control[]
  /** The name of the first control that is wrong. */
  wrong: string | undefined
}

function RowForm({ context, table, known, fingerprint, typed, state, wrong }: RowFormProps) {
  const mayWrite = known ? table.mayChange : table.mayAdd
  return (
    <PostForm context={context} className="stack" action={formPath(table, known?.key ?? null)} noValidate>
      <input type="hidden" name="was" value={fingerprint} />
      <input type="hidden" name={zoneField} value={context.time_zone} />
      {/* The first submit button is the one that the Enter key presses. */}
      {mayWrite ? (
        <button type="submit" name="act" value="save" className="hidden-visually" tabIndex={-1} aria-hidden="true" />
      ) : null}
      {typed.length === 0 ? null : (
        <section className="admin-form" aria-label={table.label}>
          {typed.map((control) => (
            <ControlField
              key={control.name}
              control={control}
              timeZone={context.time_zone}
              autoFocus={control.name === wrong}
            />
          ))}
        </section>
      )}
      {state.inlines.map(({ inline, rows }) =>
        rows.length === 0 ? null : (
          <section className="admin-inline" key={inline.name} aria-labelledby={`inline-${inline.name}`}>
            <h2 id={`inline-${inline.name}`}>{inline.labels}</h2>
            {rows.map((row) => (
              <InlineRow
                key={row.prefix}
                row={row}
                label={inline.label}
                mayDelete={inline.mayDelete}
                timeZone={context.time_zone}
                wrong={wrong}
              />
            ))}
            {rows.length < inline.maximum ? null : (
              <p className="muted small">At most {inline.maximum} are shown here.</p>
            )}
          </section>
        ),
      )}
      {mayWrite ? <SaveButtons table={table} isNew={known === null} /> : null}
    </PostForm>
  )
}

function SaveButtons({ table, isNew }: { table: Table; isNew: boolean }) {
  return (
    <div className="row admin-save">
      <Button kind="primary" type="submit" name="act" value="save">
        {isNew ? `Add ${inSentence(table.label)}` : 'Save'}
      </Button>
      {isNew ? (
        <Button type="submit" name="act" value="save_and_add">
          Save and add another
        </Button>
      ) : null}
      <LinkButton kind="quiet" href={listPath(table)}>
        Cancel
      </LinkButton>
    </div>
  )
}

/** "Robin Example · Recipients": the title of a row's page in the browser. */
export const pageTitle = (table: Table, known: KnownRow | null): string =>
  known ? `${rowTitle(table, known)} · ${table.labels}` : rowTitle(table, null)

const rowTitle = (table: Table, known: KnownRow | null): string =>
  known ? nameOf(table, known.key, known.title) : `Add ${inSentence(table.label)}`

function labelOf(state: FormState, name: string): string {
  const inlines = state.inlines.flatMap(({ rows }) => rows.flatMap(({ controls }) => controls))
  return [...state.controls, ...inlines].find((control) => control.name === name)?.field.label ?? name
}

function RowActions({ context, table, known }: { context: PageContext; table: Table; known: KnownRow }) {
  const actions = table.actions.filter(({ name, on }) => on !== 'list' && known.offered.has(name))
  if (actions.length === 0) return null
  return (
    <PostForm context={context} className="row" action={actPath(table)}>
      <input type="hidden" name="back" value={rowPath(table, known.key)} />
      <input type="hidden" name="key" value={known.key} />
      {actions.map(({ name, label, isDangerous, isPrimary }) => (
        <Button
          key={name}
          type="submit"
          name="act"
          value={name}
          kind={isPrimary ? 'primary' : isDangerous ? 'danger' : 'plain'}
        >
          {label}
        </Button>
      ))}
    </PostForm>
  )
}

function InlineRow({
  row,
  label,
  mayDelete,
  timeZone,
  wrong,
}: {
  row: InlineControls
  label: string
  mayDelete: boolean
  timeZone: string
  wrong: string | undefined
}) {
  const remove = `${row.prefix}-remove`
  const shaped = row.key === null ? row.controls : shapedControls(row.controls)
  // An empty read-only value is left out.
  const controls = shaped.filter(({ isReadOnly, shown }) => !isReadOnly || shown !== '')
  return (
    <fieldset className="admin-form">
      <legend className="hidden-visually">
        {row.key === null ? `Add ${inSentence(label)}` : `${label} ${row.key}`}
      </legend>
      {row.key === null ? <p className="small strong inline-new">Add {inSentence(label)}</p> : null}
      {controls.map((control) => (
        <ControlField key={control.name} control={control} timeZone={timeZone} autoFocus={control.name === wrong} />
      ))}
      {row.key !== null && mayDelete ? (
        <div className="check">
          <input type="checkbox" id={remove} name={remove} value="1" defaultChecked={row.isRemoved} />
          <label htmlFor={remove}>Delete this {inSentence(label)}</label>
        </div>
      ) : null}
    </fieldset>
  )
}
