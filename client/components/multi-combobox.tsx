import { useMemo } from 'react'
import { Combobox } from './combobox.tsx'
import { Icon } from './icon.tsx'

interface MultiComboboxProps<Option> {
  id: string
  label: string
  options: readonly Option[]
  chosen: readonly Option[]
  onChosen: (chosen: Option[]) => void
  textOf: (option: Option) => string
  placeholder: string
  disabled: boolean
  loading: boolean
  emptyText: string
}

/** Several choices among many: each becomes a chip that can be removed, and disappears from the list. */
export function MultiCombobox<Option extends { id: number }>({
  options,
  chosen,
  onChosen,
  ...rest
}: MultiComboboxProps<Option>) {
  const { id, label, textOf } = rest
  const left = useMemo(() => {
    const taken = new Set(chosen.map((option) => option.id))
    return options.filter((option) => !taken.has(option.id))
  }, [options, chosen])
  function remove(removed: Option): void {
    onChosen(chosen.filter((option) => option !== removed))
    document.getElementById(id)?.focus()
  }
  return (
    <div className="field">
      <Combobox<Option>
        {...rest}
        options={left}
        value={null}
        onChoose={(option) => option !== null && onChosen([...chosen, option])}
      />
      {chosen.length > 0 && (
        <ul className="chips" aria-label={`Selected: ${label}`}>
          {chosen.map((option) => (
            <li key={option.id}>
              <button type="button" className="chip" onClick={() => remove(option)}>
                {textOf(option)}
                <Icon name="close" size={16} />
                <span className="hidden-visually">Remove</span>
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}
