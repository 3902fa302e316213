import { useCallback, useState, type ComponentProps, type ComponentType, type ReactNode } from 'react'
import type { ConfirmDialog } from './confirm-dialog.tsx'
import { MessageBox } from './message-box.tsx'

export interface LazyDialog<Open> {
  show: (open: Open) => void
  close: () => void
  /** Loads the dialog before it is opened. */
  prepare: () => void
  /** What must be rendered. */
  dialog: ReactNode
}

/** A dialog that is not loaded with the page. `load` must stay the same function. */
export function useLazyDialog<Open, Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  propsOf: (open: Open, close: () => void) => Props,
): LazyDialog<Open> {
  const [open, setOpen] = useState<Open | null>(null)
  const [Loaded, setLoaded] = useState<ComponentType<Props> | null>(null)
  const [isFailed, setFailed] = useState(false)

  const prepare = useCallback(() => {
    load().then(
      (loaded) => {
        setLoaded(() => loaded)
        setFailed(false)
      },
      () => setFailed(true),
    )
  }, [load])
  const show = useCallback(
    (opened: Open) => {
      prepare()
      setOpen(() => opened)
    },
    [prepare],
  )
  const close = useCallback(() => setOpen(null), [])

  const failure = isFailed && (
    <div className="toasts">
      <MessageBox tone="danger" role="alert">
        Part of this page did not load. Reload the page and try again.
      </MessageBox>
    </div>
  )
  return {
    show,
    close,
    prepare,
    dialog: open !== null && (Loaded ? <Loaded {...propsOf(open, close)} /> : failure),
  }
}

const loadConfirmDialog = async () => (await import('#in-browser/components/confirm-dialog.tsx')).ConfirmDialog

type Question = Omit<ComponentProps<typeof ConfirmDialog>, 'onClose'>

/** Asks for confirmation. */
export function useConfirmation(): LazyDialog<Question> {
  return useLazyDialog(loadConfirmDialog, (question, onClose) => ({ ...question, onClose }))
}
