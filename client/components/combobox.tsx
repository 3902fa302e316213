import {
  useDeferredValue,
  useEffect,
  useId,
  useMemo,
  useRef,
  useState,
  type KeyboardEvent,
  type ReactNode,
} from 'react'
import { FieldNotes, describedBy } from './field.tsx'
import { Icon } from './icon.tsx'
import { narrow, plainText } from './option-filter.ts'
import { Spinner } from './spinner.tsx'
import { useLeaving } from './use-leaving.ts'

/** More rows than this nobody reads: the rest is reached by typing. */
const MAX_ROWS = 200

interface ComboboxProps<Option> {
  id: string
  label: string
  options: readonly Option[]
  value: Option | null
  onChoose: (option: Option | null) => void
  keyOf: (option: Option) => string | number
  /** Shown in the field once chosen, and searched. */
  textOf: (option: Option) => string
  /** What is searched, when that is more than the text. */
  searchOf?: (option: Option) => string
  /** A richer row; the text when absent. */
  rowOf?: (option: Option) => ReactNode
  placeholder?: string
  help?: string
  error?: string
  disabled?: boolean
  loading?: boolean
  emptyText?: string
  /** The list stays open under the field instead of opening with it. */
  alwaysOpen?: boolean
  autoFocus?: boolean
}

/** A choice among up to thousands, narrowed by typing. The list stands in the flow of the page, so it is never cut off. */
export function Combobox<Option>(props: ComboboxProps<Option>) {
  const {
    id,
    label,
    options,
    value,
    onChoose,
    keyOf,
    textOf,
    searchOf = textOf,
    rowOf,
    placeholder,
    help = '',
    error = '',
  } = props
  const { disabled = false, loading = false, emptyText = 'No choices.', alwaysOpen = false, autoFocus = false } = props
  const [query, setQuery] = useState<string | null>(null)
  // The list is open for one value: when another is set from outside, it closes by itself.
  const [openFor, setOpenFor] = useState<string | number | null | undefined>(undefined)
  const [active, setActive] = useState(0)
  const listId = useId()
  const list = useRef<HTMLUListElement>(null)

  const texts = useMemo(() => options.map((option) => plainText(searchOf(option))), [options, searchOf])
  const wanted = useDeferredValue(query ?? '')
  const { shown, count } = useMemo(() => narrow(options, texts, wanted, MAX_ROWS), [options, texts, wanted])
  const chosenKey = value === null ? null : keyOf(value)
  const isOpen = openFor === chosenKey
  const open = !disabled && (isOpen || alwaysOpen)
  const isListShown = open && shown.length > 0
  const at = Math.min(active, shown.length - 1)
  const optionId = (index: number) => `${listId}-${index}`

  useEffect(() => {
    if (open) list.current?.querySelector('.option-active')?.scrollIntoView({ block: 'nearest' })
  }, [at, open])

  function show(): void {
    setOpenFor(chosenKey)
    setActive(Math.max(0, chosenKey === null ? 0 : options.findIndex((option) => keyOf(option) === chosenKey)))
  }
  function hide(): void {
    setOpenFor(undefined)
    setQuery(null)
  }
  const onBlur = useLeaving(open, hide)
  function choose(option: Option): void {
    onChoose(option)
    setActive(options.indexOf(option))
    hide()
  }
  function onKeyDown(event: KeyboardEvent<HTMLInputElement>): void {
    const moves: Record<string, number> = { ArrowDown: at + 1, ArrowUp: at - 1, PageDown: at + 10, PageUp: at - 10 }
    const move = moves[event.key]
    if (move !== undefined) {
      event.preventDefault()
      if (open) setActive(Math.max(0, Math.min(shown.length - 1, move)))
      else show()
    } else if (event.key === 'Enter' && open) {
      event.preventDefault()
      // The list may still lag behind what was typed last.
      const current = narrow(options, texts, query ?? '', MAX_ROWS).shown[at]
      if (current !== undefined) choose(current)
    } else if (event.key === 'Escape' && (isOpen || query !== null) && !(alwaysOpen && query === null)) {
      // Escape first closes the list; only the next one may close the dialog around it.
      event.preventDefault()
      event.stopPropagation()
      hide()
    }
  }

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
          aria-activedescendant={isListShown ? optionId(at) : undefined}
          aria-invalid={error !== '' || undefined}
          aria-describedby={describedBy(id, help, error)}
          autoComplete="off"
          spellCheck={false}
          disabled={disabled}
          aria-busy={loading || undefined}
          data-autofocus={autoFocus || undefined}
          placeholder={placeholder}
          value={query ?? (value === null ? '' : textOf(value))}
          onChange={(event) => {
            setQuery(event.target.value)
            setActive(0)
            const isCleared = event.target.value === ''
            setOpenFor(isCleared ? null : chosenKey)
            if (isCleared && value !== null) onChoose(null)
          }}
          onFocus={(event) => {
            event.target.select()
            if (value === null) show()
          }}
          onClick={show}
          onBlur={onBlur}
          onKeyDown={onKeyDown}
        />
        {loading ? <Spinner /> : <Icon name="down" size={16} />}
      </div>
      {isListShown && (
        <ul id={`${listId}-list`} ref={list} className="options" role="listbox" aria-label="Choices">
          {shown.map((option, index) => (
            <li
              key={keyOf(option)}
              id={optionId(index)}
              className={index === at ? 'option option-active' : 'option'}
              role="option"
              aria-selected={keyOf(option) === chosenKey}
              onPointerDown={(event) => event.preventDefault()}
              onClick={() => choose(option)}
            >
              {rowOf ? rowOf(option) : textOf(option)}
            </li>
          ))}
        </ul>
      )}
      {open && (
        <p className="options-note" role="status">
          {loading && 'Loading…'}
          {!loading && count === 0 && (options.length === 0 ? emptyText : `No matches for “${wanted.trim()}”.`)}
          {count > shown.length && `Showing ${shown.length} of ${count}. Type to narrow the list.`}
        </p>
      )}
      <FieldNotes id={id} help={help} error={error} />
    </div>
  )
}
