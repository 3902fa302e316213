import { useEffect, useLayoutEffect, useRef, type PointerEvent, type SyntheticEvent } from 'react'
import { enterHistory } from './dialog-history.ts'

/** The element that had the focus before a dialog, followed by its ancestors in case it is removed. */
interface Place {
  element: HTMLElement
  around: { parent: Element; next: Element | null; previous: Element | null }[]
}

/** Dialogs that close together. */
const places: Place[] = []

function rememberFocus(): Place | null {
  const { activeElement: element } = document
  if (!(element instanceof HTMLElement)) return null
  const around: Place['around'] = []
  for (let inner: Element = element; inner.parentElement; inner = inner.parentElement) {
    around.push({ parent: inner.parentElement, next: inner.nextElementSibling, previous: inner.previousElementSibling })
  }
  return { element, around }
}

/**
 * After the last of several dialogs has closed, focuses the first remembered element that still exists. If none does,
 * the closest substitute gets the focus: keyboard users would otherwise start over at the top of the page.
 */
function restoreFocus(place: Place): void {
  if (places.push(place) > 1) return
  queueMicrotask(() => {
    const all = places.splice(0)
    const remaining = all.find(({ element }) => element.isConnected)?.element
    const last = all.at(-1)
    if (remaining) remaining.focus()
    else if (last) substituteFor(last)?.focus()
  })
}

/** The same control after a re-render; otherwise a heading after it, before it or around it. */
function substituteFor({ element, around }: Place): HTMLElement | null {
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

/** Open while it is rendered. The focus goes to `[data-autofocus]` inside it, and afterwards back to where it was. */
export function useModal({ onClose, address }: { onClose: (() => void) | null; address: string | undefined }) {
  const dialog = useRef<HTMLDialogElement>(null)
  const isPressedOutside = useRef(false)

  useLayoutEffect(() => {
    const element = dialog.current
    if (!element) return
    const before = rememberFocus()
    element.showModal()
    element.querySelector<HTMLElement>('[data-autofocus]')?.focus()
    return () => {
      element.close()
      if (before) restoreFocus(before)
    }
  }, [])

  const closing = useRef(onClose)
  useEffect(() => {
    closing.current = onClose
  })
  useEffect(() => enterHistory({ address, close: () => closing.current?.() }), [address])

  // A native listener: Escape must be prevented before the browser closes the dialog.
  useEffect(() => {
    const element = dialog.current
    const refuse = (event: Event) => {
      if (event.target !== element) return
      event.preventDefault()
      onClose?.()
    }
    element?.addEventListener('cancel', refuse)
    return () => element?.removeEventListener('cancel', refuse)
  }, [onClose])

  const events = {
    onPointerDown({ target }: PointerEvent) {
      isPressedOutside.current = target === dialog.current
    },
    onClick({ target }: SyntheticEvent) {
      if (isPressedOutside.current && target === dialog.current) onClose?.()
    },
    onClose({ target }: SyntheticEvent) {
      if (target !== dialog.current) return
      // A browser may close the dialog on Escape even if that was prevented.
      if (onClose) onClose()
      else dialog.current?.showModal()
    },
  }
  return { dialog, events }
}
