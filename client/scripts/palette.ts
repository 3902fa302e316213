export { shapeFields } from './shape-fields.ts'
export { suggestRows } from './suggest.ts'
import type { Palette, PaletteEntry, PaletteGroup } from '../../src/web/contract.ts'
import { COMPOSING } from '../components/composing.ts'

/* "Search or jump to": a dialog over all that the user may see, and the list of keys. Loaded when first needed. */

const SEARCH_DEBOUNCE_MS = 120

const keys: readonly [string, string][] = [
  ['⌘K or Ctrl K', 'Search or jump to'],
  ['/', 'Search this page'],
  ['j / k', 'Next or previous row'],
  ['Enter', 'Open'],
  ['x', 'Select the row'],
  ['.', 'Row menu'],
  ['Esc', 'Close'],
  ['?', 'This list'],
]
const staffKeys: readonly [string, string][] = [
  ['g then a', 'Add Classes'],
  ['g then c', 'Class Alerts'],
  ['g then m', 'Manage Course List'],
  ['g then s', 'Scheduler'],
  ['g then d', 'Admin'],
  ['n', 'Add recipient'],
  ['t', 'Requeue the failed job'],
]

function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Readonly<Record<string, string>>,
  ...children: (Node | string)[]
): HTMLElementTagNameMap[Tag] {
  const made = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value)
  made.append(...children)
  return made
}

/** A modal dialog that is removed from the page when it closes, and returns the focus. */
function dialogOf(label: string, ...children: Node[]): HTMLDialogElement {
  const before = document.activeElement
  const dialog = element('dialog', { class: 'dialog palette', 'aria-label': label }, ...children)
  dialog.addEventListener('close', () => {
    dialog.remove()
    if (before instanceof HTMLElement) before.focus()
  })
  dialog.addEventListener('click', (event) => {
    if (event.target === dialog) dialog.close()
  })
  document.body.append(dialog)
  dialog.showModal()
  return dialog
}

/** The navbar's links, for when nothing is typed. */
function placesHere(): PaletteGroup {
  const links = [...document.querySelectorAll<HTMLAnchorElement>('header nav.places a')]
  const entries = links.map((link) => ({
    title: link.textContent,
    detail: '',
    href: link.getAttribute('href') ?? '/',
  }))
  return { label: 'Places', entries }
}

const optionOf = ({ title, detail, href }: PaletteEntry): HTMLElement =>
  element(
    'li',
    { role: 'presentation' },
    element(
      'a',
      { href, role: 'option', tabindex: '-1' },
      element('bdi', { class: 'clip' }, title),
      element('span', { class: 'muted small clip' }, detail),
    ),
  )

/** @param address an address that answers `?q=` with a {@link Palette} */
export function openPalette(address: string): void {
  if (document.querySelector('dialog.palette')) return
  const input = element('input', {
    type: 'search',
    class: 'input',
    role: 'combobox',
    'aria-label': 'Search or jump to',
    'aria-expanded': 'true',
    'aria-controls': 'palette-list',
    placeholder: 'Search or jump to',
    autocomplete: 'off',
    spellcheck: 'false',
  })
  const list = element('div', { id: 'palette-list', role: 'listbox', 'aria-label': 'Results', class: 'palette-list' })
  const status = element('p', { role: 'status', class: 'muted small palette-status' })
  const dialog = dialogOf('Search or jump to', input, list, status)
  dialog.addEventListener('close', () => asking.abort())
  let asking = new AbortController()
  let timer: ReturnType<typeof setTimeout> | undefined
  let chosen = 0
  /** What the list was found for. */
  let found = ''
  /** Whether Enter was pressed before the list caught up with what is typed. */
  let isEntered = false

  const options = (): HTMLElement[] => [...list.querySelectorAll<HTMLElement>('[role=option]')]

  function choose(place: number): void {
    const all = options()
    chosen = Math.max(0, Math.min(place, all.length - 1))
    for (const [index, option] of all.entries()) {
      // The same page may be listed twice, so addresses are no ids.
      option.id = `palette-${index}`
      option.setAttribute('aria-selected', String(index === chosen))
    }
    const option = all[chosen]
    if (option) input.setAttribute('aria-activedescendant', option.id)
    else input.removeAttribute('aria-activedescendant')
    option?.scrollIntoView({ block: 'nearest' })
  }

  function show(groups: readonly PaletteGroup[], q: string): void {
    list.replaceChildren(
      ...groups.map(({ label, entries }) =>
        element(
          'ul',
          { role: 'group', 'aria-label': label },
          element('li', { role: 'presentation', class: 'palette-group' }, label),
          ...entries.map(optionOf),
        ),
      ),
    )
    found = q
    status.textContent = options().length === 0 ? `Nothing begins with “${q}”.` : ''
    choose(0)
    if (isEntered) open()
  }

  function open(): void {
    isEntered = found !== input.value.trim()
    if (isEntered) void ask()
    else options()[chosen]?.click()
  }

  async function ask(): Promise<void> {
    clearTimeout(timer)
    asking.abort()
    asking = new AbortController()
    const { signal } = asking
    const q = input.value.trim()
    try {
      const answer = await fetch(`${address}?${new URLSearchParams({ q })}`, {
        signal,
        headers: { accept: 'application/json' },
      })
      if (!answer.ok) throw new Error(String(answer.status))
      const { groups }: Palette = await answer.json()
      show(q === '' ? [placesHere(), ...groups] : groups, q)
    } catch {
      if (signal.aborted) return
      isEntered = false
      status.textContent = 'The search did not respond. Try again.'
    }
  }

  input.addEventListener('input', () => {
    isEntered = false
    clearTimeout(timer)
    timer = setTimeout(() => void ask(), input.value === '' ? 0 : SEARCH_DEBOUNCE_MS)
  })
  input.addEventListener('keydown', (event) => {
    if (event.keyCode === COMPOSING) return
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step) choose(chosen + step)
    // Escape in a search field would only clear it.
    else if (event.key === 'Escape') dialog.close()
    else if (event.key === 'Enter') open()
    else return
    event.preventDefault()
  })
  show([placesHere()], '')
  void ask()
}

/** @param address where the palette searches, which also identifies what its user may do */
export function openKeys(address: string): void {
  if (document.querySelector('dialog.palette')) return
  const shown = address.startsWith('/admin') ? [...keys, ...staffKeys] : keys
  const rows = shown.map(([key, does]) =>
    element('tr', {}, element('th', { scope: 'row' }, element('kbd', {}, key)), element('td', {}, does)),
  )
  const close = element('button', { type: 'button', class: 'button' }, 'Close')
  const dialog = dialogOf(
    'Keyboard shortcuts',
    element('h2', {}, 'Keyboard shortcuts'),
    element('table', { class: 'table table-plain' }, element('tbody', {}, ...rows)),
    close,
  )
  close.addEventListener('click', () => dialog.close())
}
