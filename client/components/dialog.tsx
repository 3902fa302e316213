import { useId, type ReactNode } from 'react'
import { Button } from './button.tsx'
import { LogInAgain } from './log-in-again.tsx'
import { useModal } from './use-modal.ts'

interface DialogProps {
  title: string
  description?: ReactNode
  size?: 'small' | 'medium' | 'large'
  alert?: boolean
  /** Long text without controls: the keyboard needs to focus the text to scroll it. */
  isText?: boolean
  /**
   * Called by Escape, the backdrop or the close button. The parent decides whether to remove the dialog. Null: the
   * dialog must be answered.
   */
  onClose: (() => void) | null
  /** The address of a page with the same content, shown while the dialog is open. */
  address?: string
  /** Whether what is typed in it is kept when the page is left. */
  isKept?: boolean
  /** A decorative strip across the top, above the title. */
  banner?: ReactNode
  children?: ReactNode
  footer?: ReactNode
}

/**
 * A native modal dialog: open while it is rendered, and never in server HTML. Back closes it. The focus goes to
 * `[data-autofocus]` inside it, and returns to where it was when the dialog closes.
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
  const { dialog, events } = useModal({ onClose, address })
  const id = useId()

  return (
    <dialog
      ref={dialog}
      className={size === 'medium' ? 'dialog' : `dialog dialog-${size}`}
      role={alert ? 'alertdialog' : undefined}
      aria-labelledby={`${id}-title`}
      aria-describedby={description ? `${id}-description` : undefined}
      {...events}
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
