import { ConfirmDialog } from './confirm-dialog.tsx'

/** Asks before a dialog closes without saving what was typed into it. */
export function DiscardDialog({ onDiscard, onClose }: { onDiscard: () => void; onClose: () => void }) {
  return (
    <ConfirmDialog
      title="Discard what you typed?"
      confirmLabel="Discard"
      danger
      onConfirm={async () => onDiscard()}
      onClose={onClose}
    >
      Your changes were not saved.
    </ConfirmDialog>
  )
}
