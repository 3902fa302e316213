import { useEffect, useId, useLayoutEffect, useRef, type ReactNode } from 'react'
import { Button } from './button.tsx'
import { enterHistory } from './dialog-history.ts'
import { LogInAgain } from './log-in-again.tsx'

interface DialogProps {
  title: string
  description?: ReactNode
  size?: 'small' | 'medium' | 'large'
  alert?: boolean
  /** Long text and nothing to press: the keyboard then needs the text itself to scroll it. */
  isText?: boolean
  /** Asked for by Escape, the backdrop or the close button. The parent takes the dialog away, or does not. Null: it must be answered. */
  onClose: (() => void) | null
  /** A page that shows the same: its address is shown while the dialog is open. */
  address?: string
  /** What is typed in it outlives the page. */
  isKept?: boolean
  /** Decoration across the top, above the title. */
  banner?: ReactNode
  children?: ReactNode
  footer?: ReactNode
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
 * A native modal dialog: open as long as it is rendered, and never in server HTML. Back closes it. The focus goes to `[data-autofocus]`
 * inside it, and back to where it was when the dialog leaves.
 */
export function Dialog({
  title,
  description,
  size = 'medium',
  alert = false,
  isText = false,
  onClose,
  address,
  isKept = false,
  banner,
  children,
  footer,
}: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const pressedOutside = useRef(false)
  const id = useId()

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

  return (
    <dialog
      ref={dialog}
      className={size === 'medium' ? 'dialog' : `dialog dialog-${size}`}
      role={alert ? 'alertdialog' : undefined}
      aria-labelledby={`${id}-title`}
      aria-describedby={description ? `${id}-description` : undefined}
      onPointerDown={(event) => {
        pressedOutside.current = event.target === dialog.current
      }}
      onClick={(event) => {
        if (pressedOutside.current && event.target === dialog.current) onClose?.()
      }}
      onClose={(event) => {
        if (event.target !== dialog.current) return
        // A browser that insists on Escape closes it all the same.
        if (onClose) onClose()
        else dialog.current.showModal()
      }}
    >
      {banner}
      <div className="dialog-head">
        <div>
          <h2 id={`${id}-title`}>{title}</h2>
          {description && (
            <div className="muted small" id={`${id}-description`}>
              {description}
            </div>
          )}
        </div>
        {onClose && (
          <Button kind="quiet" icon="close" iconOnly onClick={onClose}>
            Close
          </Button>
        )}
      </div>
      {children && (
        <div
          className="dialog-body stack"
          {...(isText && { tabIndex: 0, role: 'group', 'aria-labelledby': `${id}-title` })}
        >
          <LogInAgain isKept={isKept} />
          {children}
        </div>
      )}
      {footer && <div className="dialog-foot">{footer}</div>}
    </dialog>
  )
}
