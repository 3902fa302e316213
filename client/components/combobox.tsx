import { useId, type ReactNode } from 'react'
import { FieldNotes, describedBy } from './field.tsx'
import { Icon } from './icon.tsx'
import { Spinner } from './spinner.tsx'
import { useCombobox } from './use-combobox.ts'

export const nameOf = ({ name }: { name: string }): string => name

interface ComboboxProps<Option> {
  id: string
  label: string
  options: readonly Option[]
  value: Option | null
  onChoose: (option: Option | null) => void
  /** Shown in the field when selected, and searched. */
  textOf: (option: Option) => string
  /** The text to search, if it is more than `textOf`. */
  searchOf?: (option: Option) => string
  /** A richer row; default: the text. */
  rowOf?: (option: Option) => ReactNode
  placeholder?: string
  error?: string
  disabled?: boolean
  loading?: boolean
  emptyText?: string
  /** The label of the button that clears the selection; absent: no such button. */
  clear?: string
  /** Whether the list is always open under the field. */
  alwaysOpen?: boolean
  autoFocus?: boolean
}

/** One of up to thousands of options, narrowed by typing. The list is in the page's flow, so it is never cut off. */
export function Combobox<Option extends { id: number }>(props: ComboboxProps<Option>) {
  const { id, label, options, value, onChoose, textOf, searchOf = textOf, rowOf } = props
  const { placeholder, clear, error = '', emptyText = 'No choices.', autoFocus = false } = props
  const { disabled = false, loading = false, alwaysOpen = false } = props
  const choices = { options, value, onChoose, searchOf, disabled, alwaysOpen }
  const { query, wanted, isOpen, shown, count, active, chosenId, list, choose, events } = useCombobox(choices)
  const listId = useId()
  const isListShown = isOpen && shown.length > 0
  const optionId = (index: number) => `${listId}-${index}`

  return (
    <div className="combobox">
      <label className="label" htmlFor={id}>
        {label}
      </label>
      <div className="combobox-field">
        <input
          id={id}
          className="input"
          role="combobox"
          aria-expanded={isListShown}
          aria-controls={isListShown ? `${listId}-list` : undefined}
          aria-autocomplete="list"
          aria-activedescendant={isListShown ? optionId(active) : undefined}
          aria-invalid={error !== '' || undefined}
          aria-describedby={describedBy(id, '', error)}
          autoComplete="off"
          spellCheck={false}
          disabled={disabled}
          aria-busy={loading || undefined}
          data-autofocus={autoFocus || undefined}
          placeholder={placeholder}
          value={query ?? (value === null ? '' : textOf(value))}
          {...events}
        />
        {clear !== undefined && value !== null ? (
          <button type="button" className="combobox-clear" aria-label={clear} onClick={() => onChoose(null)}>
            <Icon name="close" size={16} />
          </button>
        ) : loading ? (
          <Spinner />
        ) : (
          <Icon name="down" size={16} />
        )}
      </div>
      {isListShown && (
        <ul id={`${listId}-list`} ref={list} className="options" role="listbox" aria-label="Choices">
          {shown.map((option, index) => (
            <li
              key={option.id}
              id={optionId(index)}
              className={index === active ? 'option option-active' : 'option'}
              role="option"
              aria-selected={option.id === chosenId}
              onPointerDown={(event) => event.preventDefault()}
              onClick={() => choose(option)}
            >
              {rowOf ? rowOf(option) : textOf(option)}
            </li>
          ))}
        </ul>
      )}
      {isOpen && (
        <p className="small muted options-note" role="status">
          {loading && 'Loading…'}
          {!loading && count === 0 && (options.length === 0 ? emptyText : `No matches for “${wanted.trim()}”.`)}
          {count > shown.length && `Showing ${shown.length} of ${count}. Type to narrow the list.`}
        </p>
      )}
      <FieldNotes id={id} help="" error={error} />
    </div>
  )
}
