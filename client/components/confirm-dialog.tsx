import type { ReactNode } from 'react'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'
import { ErrorSummary } from './error-summary.tsx'
import { useAct } from './use-act.ts'

interface ConfirmDialogProps {
  title: string
  /** What is deleted along with it. */
  children: ReactNode
  confirmLabel: string
  danger?: boolean
  /** The act itself. The dialog waits while it runs; if it fails, the dialog stays open and shows why. */
  onConfirm: () => Promise<void>
  onClose: () => void
}

/** Asks for confirmation before something that cannot be undone. */
export function ConfirmDialog({
  title,
  children,
  confirmLabel,
  danger = false,
  onConfirm,
  onClose,
}: ConfirmDialogProps) {
  const { busy, errors, act } = useAct()
  return (
    <Dialog
      title={title}
      description={children}
      size="small"
      alert
      onClose={busy ? () => undefined : onClose}
      footer={
        <>
          <Button onClick={onClose} disabled={busy} data-autofocus={danger || undefined}>
            Cancel
          </Button>
          <Button
            kind={danger ? 'danger' : 'primary'}
            busy={busy}
            onClick={() => act(onConfirm)}
            data-autofocus={!danger || undefined}
          >
            {confirmLabel}
          </Button>
        </>
      }
    >
      {errors.length > 0 && <ErrorSummary errors={errors} />}
    </Dialog>
  )
}
