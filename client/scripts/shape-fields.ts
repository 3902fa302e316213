interface Shape {
  label: string
  help?: string
  inputMode?: string
}

/** Labels a field by the choice beside it: `data-shapes` has the labels, `data-shaped-by` the choice's id. */
function shapeField(field: HTMLElement): void {
  const choice = document.getElementById(field.dataset['shapedBy'] ?? '')
  if (!(choice instanceof HTMLSelectElement)) return
  const shapes: Record<string, Shape | undefined> = JSON.parse(field.dataset['shapes'] ?? '{}')
  const label = document.querySelector<HTMLElement>(`label[for="${CSS.escape(field.id)}"]`)
  const help = document.getElementById(`${field.id}-help`)
  const shape = (): void => {
    const now = shapes[choice.value]
    if (!now) return
    if (label?.firstChild) label.firstChild.textContent = now.label
    if (help) help.textContent = now.help ?? ''
    field.inputMode = now.inputMode ?? 'text'
  }
  choice.addEventListener('change', shape)
  shape()
}

export function shapeFields(): void {
  for (const field of document.querySelectorAll<HTMLElement>('[data-shaped-by]')) shapeField(field)
}
