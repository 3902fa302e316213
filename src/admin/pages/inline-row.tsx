import type { InlineControls } from '../row/form-state.ts'
import { inSentence } from '../table-parts.ts'
import { ControlField, shapedControls } from './control.tsx'

export function InlineRow({
  row,
  label,
  mayDelete,
  timeZone,
}: {
  row: InlineControls
  label: string
  mayDelete: boolean
  timeZone: string
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
        <ControlField key={control.name} control={control} timeZone={timeZone} />
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
