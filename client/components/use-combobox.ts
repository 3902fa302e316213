import { useDeferredValue, useEffect, useMemo, useRef, useState, type ChangeEvent, type KeyboardEvent } from 'react'
import { COMPOSING } from './composing.ts'

/** How long a press may last before it no longer counts as a click, in ms. */
const MAX_PRESS_MS = 1000

/** Leaves only after the click: a list that collapses during a press would move the button away from the pointer. */
function useLeaving(isOpen: boolean, leave: () => void): () => void {
  const isPressed = useRef(false)
  useEffect(() => {
    if (!isOpen) return
    const notice = ({ type }: Event) => {
      isPressed.current = type === 'pointerdown'
    }
    document.addEventListener('pointerdown', notice, true)
    document.addEventListener('keydown', notice, true)
    return () => {
      isPressed.current = false
      document.removeEventListener('pointerdown', notice, true)
      document.removeEventListener('keydown', notice, true)
    }
  }, [isOpen])

  return () => {
    if (!isPressed.current) return leave()
    const end = () => {
      clearTimeout(timer)
      window.removeEventListener('click', end)
      leave()
    }
    const timer = setTimeout(end, MAX_PRESS_MS)
    window.addEventListener('click', end)
  }
}

const marks = /\p{Diacritic}/gu

/** Text for comparison: without case and accents. */
export function plainText(text: string): string {
  return text.normalize('NFD').replace(marks, '').toLowerCase()
}

/** No one reads more rows than this: the rest is reached by typing. */
const MAX_ROWS = 200

/** The options with every word of the query, those that begin with it first. `texts`: the options' plain texts. */
export function narrow<Option>(options: readonly Option[], texts: readonly string[], query: string) {
  const whole = plainText(query.trim())
  const words = whole.split(/\s+/).filter((word) => word !== '')
  const first: Option[] = []
  const rest: Option[] = []
  options.forEach((option, index) => {
    const text = texts[index] ?? ''
    if (!words.every((word) => text.includes(word))) return
    if (whole !== '' && text.startsWith(whole)) first.push(option)
    else rest.push(option)
  })
  return { shown: [...first, ...rest].slice(0, MAX_ROWS), count: first.length + rest.length }
}

const steps: Record<string, number> = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10 }

interface Choices<Option> {
  options: readonly Option[]
  value: Option | null
  onChoose: (option: Option | null) => void
  searchOf: (option: Option) => string
  disabled: boolean
  /** Whether the list is always open under the field. */
  alwaysOpen: boolean
}

export function useCombobox<Option extends { id: number }>(choices: Choices<Option>) {
  const { options, value, onChoose, searchOf, disabled, alwaysOpen } = choices
  /** What is being typed; null if nothing is. */
  const [query, setQuery] = useState<string | null>(null)
  // The list is open for one value: if another is set from outside, the list closes.
  const [openFor, setOpenFor] = useState<number | null | undefined>(undefined)
  const [row, setRow] = useState(0)
  const list = useRef<HTMLUListElement>(null)

  const texts = useMemo(() => options.map((option) => plainText(searchOf(option))), [options, searchOf])
  /** The query that the rows match; it may lag behind the latest typing. */
  const wanted = useDeferredValue(query ?? '')
  const { shown, count } = useMemo(() => narrow(options, texts, wanted), [options, texts, wanted])
  const chosenId = value?.id ?? null
  const isOpened = openFor === chosenId
  const isOpen = !disabled && (isOpened || alwaysOpen)
  const active = Math.min(row, shown.length - 1)

  useEffect(() => {
    if (isOpen) list.current?.querySelector('.option-active')?.scrollIntoView({ block: 'nearest' })
  }, [active, isOpen])

  function show(): void {
    setOpenFor(chosenId)
    setRow(Math.max(0, chosenId === null ? 0 : options.findIndex((option) => option.id === chosenId)))
  }
  function hide(): void {
    setOpenFor(undefined)
    setQuery(null)
  }
  function choose(option: Option): void {
    onChoose(option)
    setRow(options.indexOf(option))
    hide()
  }
  function type(text: string): void {
    setQuery(text)
    setRow(0)
    setOpenFor(text === '' ? null : chosenId)
    if (text === '' && value !== null) onChoose(null)
  }
  function onKeyDown(event: KeyboardEvent<HTMLInputElement>): void {
    if (event.keyCode === COMPOSING) return
    const step = steps[event.key]
    if (step !== undefined) {
      event.preventDefault()
      if (isOpen) setRow(Math.max(0, Math.min(shown.length - 1, active + step)))
      else show()
    } else if (event.key === 'Enter' && isOpen) {
      event.preventDefault()
      // The list may still lag behind the latest typing.
      const current = narrow(options, texts, query ?? '').shown[active]
      if (current !== undefined) choose(current)
    } else if (event.key === 'Escape' && (isOpened || query !== null) && !(alwaysOpen && query === null)) {
      // The first Escape closes the list; only the next one may close the dialog around it.
      event.preventDefault()
      event.stopPropagation()
      hide()
    }
  }
  const events = {
    onChange: (event: ChangeEvent<HTMLInputElement>) => type(event.target.value),
    onFocus: ({ target }: { target: HTMLInputElement }) => {
      target.select()
      if (value === null) show()
    },
    onClick: show,
    onBlur: useLeaving(isOpen, hide),
    onKeyDown,
  }
  return { query, wanted, isOpen, shown, count, active, chosenId, list, choose, events }
}
