import { useId, type ReactNode, useEffect, useState } from 'react'
import { Button } from './button.tsx'
import { useModal } from './use-modal.ts'
import { loggedOutEvent } from '../api.ts'
import { logInHref } from './log-in-href.ts'
import { MessageBox } from './message-box.tsx'

/** The page's address once a call was refused because its session has ended; null before. */
function useLoggedOut(): string | null {
  const [address, setAddress] = useState<string | null>(null)
  useEffect(() => {
    const show = () => setAddress(location.pathname + location.search + location.hash)
    document.addEventListener(loggedOutEvent, show)
    return () => document.removeEventListener(loggedOutEvent, show)
  }, [])
  return address
}

/** Leads to the login, and from there to `next`. `isKept`: what was typed survives leaving the page. */
function LogInAgain({ next, isKept }: { next: string; isKept: boolean }) {
  return (
    <MessageBox tone="warning" role="status">
      Your session has ended.{' '}
      <a href={logInHref(next, next)} {...(!isKept && { target: '_blank', rel: 'noopener' })}>
        {isKept ? 'Log in again' : 'Log in again (opens a new tab)'}
      </a>
      {isKept
        ? '. What you typed will still be here.'
        : ', then come back and try again: what you typed is still here.'}
    </MessageBox>
  )
}

interface DialogProps {
  title: string
  description?: ReactNode
  size?: 'small' | 'medium' | 'large'
  alert?: boolean
  /** Long text without controls: the keyboard needs to focus the text to scroll it. */
  isText?: boolean
  /** Called by Escape, the backdrop or the close button. Null: the dialog must be answered. */
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

/** A native modal dialog: open while it is rendered, and never in server HTML. Back closes it. */
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
  const loggedOutAt = useLoggedOut()

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
      {(children || loggedOutAt !== null) && (
        <div
          className="dialog-body stack"
          {...(isText && { tabIndex: 0, role: 'group', 'aria-labelledby': `${id}-title` })}
        >
          {loggedOutAt !== null && <LogInAgain next={loggedOutAt} isKept={isKept} />}
          {children}
        </div>
      )}
      {footer && <div className="dialog-foot">{footer}</div>}
    </dialog>
  )
}
