/* Keyboard shortcuts of staff and managers. The palette and the list of keys are loaded when needed. */

import './forms.ts'
import { script, withPalette } from './with-palette.ts'

const rowSelector = 'main tbody tr, main [data-row], main article.card, main li.review'

/** Where each letter after `g` leads. */
const places: Readonly<Record<string, string>> = {
  a: '/class_tracker/add_classes/',
  c: '/class_tracker/class_alerts/',
  m: '/class_tracker/manage_course_list/',
  s: '/scheduler/queues/',
  d: '/admin/',
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
}

function open(what: 'palette' | 'keys'): void {
  const search = script?.dataset['search'] ?? ''
  withPalette(({ openPalette, openKeys }) => (what === 'palette' ? openPalette(search) : openKeys(search)))
}

/** Moves the focus to the next row that can be pressed. */
function moveFocus(step: 1 | -1): void {
  const rows = [...document.querySelectorAll<HTMLElement>(rowSelector)].filter(
    (row) => row.offsetParent !== null && row.querySelector('a, button'),
  )
  const at = rows.findIndex((row) => row.contains(document.activeElement))
  const row = rows[at === -1 ? (step === 1 ? 0 : rows.length - 1) : at + step]
  const link = row?.querySelector<HTMLElement>('a, button')
  link?.focus()
  row?.scrollIntoView({ block: 'nearest' })
}

/** Presses a control of the row that has the focus. */
function pressInRow(selector: string): void {
  document.activeElement?.closest(rowSelector)?.querySelector<HTMLElement>(selector)?.click()
}

/** Presses the page's button for this key. @returns whether there is one */
function press(key: string): boolean {
  const button = /^[a-z]$/.test(key) && document.querySelector<HTMLElement>(`main [data-key=${key}]`)
  if (button) button.click()
  return Boolean(button)
}

/** How long after `g` its second letter is awaited, in ms. */
const AFTER_G_MS = 1500
/** When `g` was pressed, if it was the last key. */
let pressedG = -Infinity

/** In the capture phase: the page's own key for this letter, such as `a` for approving, must not act as well. */
function leaveAfterG(event: KeyboardEvent): void {
  const isLate = event.timeStamp - pressedG > AFTER_G_MS
  if (isLate || event.altKey || event.metaKey || event.ctrlKey || isTyping(event.target)) return
  const place = places[event.key.toLowerCase()]
  if (!place || document.querySelector('dialog:modal') || !script?.dataset['search']?.startsWith('/admin')) return
  event.preventDefault()
  event.stopImmediatePropagation()
  location.assign(place)
}
document.addEventListener('keydown', leaveAfterG, true)

document.addEventListener('keydown', (event) => {
  if (event.defaultPrevented || event.altKey) return
  const key = event.key.toLowerCase()
  if ((event.metaKey || event.ctrlKey) && key === 'k') {
    event.preventDefault()
    open('palette')
    return
  }
  if (event.metaKey || event.ctrlKey || isTyping(event.target) || document.querySelector('dialog:modal')) return
  pressedG = key === 'g' ? event.timeStamp : -Infinity
  if (key === '/') {
    const field = document.querySelector<HTMLElement>('main input[type=search]')
    if (field) field.focus()
    else open('palette')
  } else if (key === '?') open('keys')
  else if (key === 'j') moveFocus(1)
  else if (key === 'k') moveFocus(-1)
  else if (key === 'x') pressInRow('input[type=checkbox]')
  else if (key === '.') pressInRow('.row-more')
  else if (!press(key)) return
  event.preventDefault()
})

for (const button of document.querySelectorAll<HTMLElement>('[data-opens=palette]')) {
  button.hidden = false
  button.addEventListener('click', () => open('palette'))
}
