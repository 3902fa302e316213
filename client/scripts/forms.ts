/* What helps staff and managers with plain forms. */

import { isDoublePress } from './double-press.ts'
import { withPalette } from './with-palette.ts'

/** A field that refers to an admin row suggests rows once it is first focused. */
document.addEventListener('focusin', ({ target }) => {
  if (!(target instanceof HTMLInputElement) || target.dataset['rows'] === undefined || target.list) return
  withPalette(({ suggestRows }) => suggestRows(target))
})

if (document.querySelector('[data-shaped-by]')) withPalette(({ shapeFields }) => shapeFields())

/* A checkbox in a table's head selects all of its rows. */
for (const head of document.querySelectorAll<HTMLInputElement>('input[data-ticks]')) {
  const boxes = [...(head.form?.querySelectorAll<HTMLInputElement>(`input[name=${head.dataset['ticks']}]`) ?? [])]
  head.hidden = false
  head.addEventListener('change', () => boxes.forEach((box) => (box.checked = head.checked)))
  head.form?.addEventListener('change', () => {
    const ticked = boxes.filter((box) => box.checked).length
    head.checked = ticked === boxes.length
    head.indeterminate = ticked > 0 && !head.checked
  })
}

document.addEventListener('submit', (event) => {
  const { target: form, timeStamp } = event
  if (event.defaultPrevented || !(form instanceof HTMLFormElement) || form.method !== 'post') return
  if (isDoublePress(form, timeStamp)) event.preventDefault()
})
