import { useEffect, useLayoutEffect, useRef, type PointerEvent, type RefObject, type SyntheticEvent } from 'react'
import { enterHistory } from './dialog-history.ts'

interface ModalOptions {
  /** Asked for by Escape, the backdrop or the browser's Back. Null: it must be answered. */
  onClose: (() => void) | null
  /** A page that shows the same: its address is shown while the dialog is open. */
  address: string | undefined
}

interface Modal {
  dialog: RefObject<HTMLDialogElement | null>
  events: {
    onPointerDown: (event: PointerEvent) => void
    onClick: (event: SyntheticEvent) => void
    onClose: (event: SyntheticEvent) => void
  }
}

const places: HTMLElement[] = []

/**
 * Puts the focus back to where it was before a dialog. When several leave together, what lies under them takes the focus
 * only once the last is closed, and what was inside one of them is gone: the first place that is still there has it.
 */
function giveBackFocus(place: HTMLElement): void {
  if (places.push(place) > 1) return
  queueMicrotask(() =>
    places
      .splice(0)
      .find((one) => one.isConnected)
      ?.focus(),
  )
}

/**
 * A native dialog that is open as long as it is rendered. The focus goes to `[data-autofocus]` inside it, and back to where it was
 * when the dialog leaves.
 */
export function useModal({ onClose, address }: ModalOptions): Modal {
  const dialog = useRef<HTMLDialogElement>(null)
  const isPressedOutside = useRef(false)

  useLayoutEffect(() => {
    const element = dialog.current
    if (!element) return
    const before = document.activeElement
    element.showModal()
    element.querySelector<HTMLElement>('[data-autofocus]')?.focus()
    return () => {
      element.close()
      if (before instanceof HTMLElement) giveBackFocus(before)
    }
  }, [])

  const closing = useRef(onClose)
  useEffect(() => {
    closing.current = onClose
  })
  useEffect(() => enterHistory({ address, close: () => closing.current?.() }), [address])

  // A listener of our own: what Escape begins must be refusable before the browser closes the dialog.
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

  const events: Modal['events'] = {
    onPointerDown({ target }) {
      isPressedOutside.current = target === dialog.current
    },
    onClick({ target }) {
      if (isPressedOutside.current && target === dialog.current) onClose?.()
    },
    onClose({ target }) {
      if (target !== dialog.current) return
      // A browser that insists on Escape closes it all the same.
      if (onClose) onClose()
      else dialog.current?.showModal()
    },
  }
  return { dialog, events }
}
