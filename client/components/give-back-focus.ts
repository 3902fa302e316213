/** Where the focus was before a dialog, and what lies around it should it be gone by then: from the inside out. */
interface Place {
  element: HTMLElement
  around: { parent: Element; next: Element | null; previous: Element | null }[]
}

/** Dialogs that leave together. */
const places: Place[] = []

/** Remembers where the focus is. */
export function rememberFocus(): Place | null {
  const { activeElement: element } = document
  if (!(element instanceof HTMLElement)) return null
  const around: Place['around'] = []
  for (let inner: Element = element; inner.parentElement; inner = inner.parentElement) {
    around.push({ parent: inner.parentElement, next: inner.nextElementSibling, previous: inner.previousElementSibling })
  }
  return { element, around }
}

/**
 * Puts the focus back to where it was before a dialog. When several leave together, what lies under them takes the focus only once
 * the last is closed, and what was inside one of them is gone: the first place that is still there has it. Where none is, such as after
 * a row was removed, what stands in for the last one has it, or somebody without a mouse would begin at the top of the page.
 */
export function giveBackFocus(place: Place): void {
  if (places.push(place) > 1) return
  queueMicrotask(() => {
    const all = places.splice(0)
    const still = all.find(({ element }) => element.isConnected)?.element
    const last = all.at(-1)
    if (still) still.focus()
    else if (last) standIn(last)?.focus()
  })
}

/** The same control made anew; else the heading of what follows it, comes before it or is around it. */
function standIn({ element, around }: Place): HTMLElement | null {
  const same = element.id === '' ? null : document.getElementById(element.id)
  if (same) return same
  const left = around.slice(around.findIndex(({ parent }) => parent.isConnected))
  const near = [left[0]?.next, left[0]?.previous, ...left.map(({ parent }) => parent)]
  const heading = near
    .map((one) => (one?.isConnected ? one.querySelector<HTMLElement>('h1, h2, h3') : null))
    .find((one) => one !== null)
  if (heading && !heading.hasAttribute('tabindex')) heading.tabIndex = -1
  return heading ?? null
}
