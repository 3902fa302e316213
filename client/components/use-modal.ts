import { useEffect, useLayoutEffect, useRef, type PointerEvent, type RefObject, type SyntheticEvent } from 'react'
import { enterHistory } from './dialog-history.ts'
import { rememberFocus, restoreFocus } from './restore-focus.ts'

interface ModalOptions {
  /** Called by Escape, the backdrop or the browser's Back. Null: the dialog must be answered. */
  onClose: (() => void) | null
  /** The address of a page with the same content, shown while the dialog is open. */
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
 * A native dialog that is open while it is rendered. The focus goes to `[data-autofocus]` inside it, and returns to
 * where it was when the dialog closes.
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

  const events: Modal['events'] = {
    onPointerDown({ target }) {
      isPressedOutside.current = target === dialog.current
    },
    onClick({ target }) {
      if (isPressedOutside.current && target === dialog.current) onClose?.()
    },
    onClose({ target }) {
      if (target !== dialog.current) return
      // A browser may close the dialog on Escape even if that was prevented.
      if (onClose) onClose()
      else dialog.current?.showModal()
    },
  }
  return { dialog, events }
}
