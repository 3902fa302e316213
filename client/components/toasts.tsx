import { useCallback, useEffect, useRef, useState } from 'react'
import { messagesOf } from '#in-browser/errors.ts'
import type { Message } from '../../src/lib/contract.ts'
import { Button } from './button.tsx'
import { Icon } from './icon.tsx'
import { toneIcons, type Tone } from './message-box.tsx'
import { toneOf } from './messages-banner.tsx'

export interface Toast {
  tone: Tone
  text: string
  undo?: () => Promise<void>
}

/** The error messages, in the server's own words if it sent some. */
export const failed = (error: unknown): Toast => ({ tone: 'danger', text: messagesOf(error).join(' ') })

/** A message that came with the page's data. */
export const toastOf = ({ level_tag: level, message }: Message): Toast => ({ tone: toneOf(level), text: message })

interface Shown extends Toast {
  id: number
}

/** Says what just happened; errors stay until they are dismissed. */
export function useToasts(): { toasts: Shown[]; say: (toast: Toast) => void; dismiss: (id: number) => void } {
  const [toasts, setToasts] = useState<Shown[]>([])
  const last = useRef(0)
  const dismiss = useCallback((id: number) => setToasts((shown) => shown.filter((toast) => toast.id !== id)), [])
  function say(toast: Toast): void {
    last.current += 1
    const id = last.current
    setToasts((shown) => [...shown.slice(-2), { ...toast, id }])
  }
  return { toasts, say, dismiss }
}

function ToastLine({ toast, onDismiss }: { toast: Shown; onDismiss: (id: number) => void }) {
  const { id, tone, text, undo } = toast
  const [held, setHeld] = useState(false)
  useEffect(() => {
    if (tone === 'danger' || tone === 'warning' || held) return
    const timer = setTimeout(() => onDismiss(id), undo ? 15_000 : 8000)
    return () => clearTimeout(timer)
  }, [id, tone, undo, held, onDismiss])
  return (
    <div
      className={`message message-${tone}`}
      onPointerEnter={() => setHeld(true)}
      onPointerLeave={() => setHeld(false)}
      onFocus={() => setHeld(true)}
      onBlur={() => setHeld(false)}
    >
      <Icon name={toneIcons[tone]} size={16} />
      <p className="message-text">{text}</p>
      {undo && (
        <Button
          kind="quiet"
          onClick={() => {
            onDismiss(id)
            void undo()
          }}
        >
          Undo
        </Button>
      )}
      <Button kind="quiet" icon="close" iconOnly onClick={() => onDismiss(id)}>
        Dismiss
      </Button>
    </div>
  )
}

/** Where toasts appear: at the bottom of the window, in reach of a thumb. */
export function Toasts({ toasts, onDismiss }: { toasts: Shown[]; onDismiss: (id: number) => void }) {
  return (
    <div className="toasts" role="status" aria-live="polite">
      {toasts.map((toast) => (
        <ToastLine key={toast.id} toast={toast} onDismiss={onDismiss} />
      ))}
    </div>
  )
}
