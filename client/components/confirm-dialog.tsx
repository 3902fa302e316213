import type { ReactNode } from 'react'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'
import { ErrorSummary } from './error-summary.tsx'
import { useAct } from './use-act.ts'

interface ConfirmDialogProps {
  title: string
  /** What is deleted together with it. */
  children: ReactNode
  confirmLabel: string
  danger?: boolean
  /** The act itself. While it runs the dialog waits; when it fails the dialog stays and says why. */
  onConfirm: () => Promise<void>
  onClose: () => void
}

/** Asks once before something that cannot be taken back. */
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
      {errors.length > 0 && <ErrorSummary heading="Error:" errors={errors} />}
    </Dialog>
  )
}
