import { useEffect, useLayoutEffect, useRef, type PointerEvent, type RefObject, type SyntheticEvent } from 'react'
import { enterHistory } from './dialog-history.ts'
import { giveBackFocus, rememberFocus } from './give-back-focus.ts'

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
    const before = rememberFocus()
    element.showModal()
    element.querySelector<HTMLElement>('[data-autofocus]')?.focus()
    return () => {
      element.close()
      if (before) giveBackFocus(before)
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
