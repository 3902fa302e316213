import { useState, type ComponentType, type ReactNode } from 'react'
import type { PageContext } from '../../../src/web/contract.ts'
import { Icon } from '../../components/icon.tsx'
import type { DirectoryDialogsProps, OpenDialog } from './directory-dialogs.tsx'

interface Dialogs {
  show: (dialog: OpenDialog) => void
  /** Fetches the dialogs before they are asked for. */
  prepare: () => void
  /** To be rendered by the page: the open dialog, or why it cannot be opened. */
  dialogs: ReactNode
}

/** The dialogs of the directory. They are not part of the first load. */
export function useDialogs(context: PageContext): Dialogs {
  const [open, setOpen] = useState<OpenDialog | null>(null)
  const [Loaded, setLoaded] = useState<ComponentType<DirectoryDialogsProps> | null>(null)
  const [isFailed, setFailed] = useState(false)

  function prepare(): void {
    if (Loaded) return
    import('./directory-dialogs.tsx').then(
      (loaded) => {
        setLoaded(() => loaded.DirectoryDialogs)
        setFailed(false)
      },
      () => setFailed(true),
    )
  }
  function show(dialog: OpenDialog): void {
    prepare()
    setOpen(dialog)
  }

  let dialogs: ReactNode = null
  if (open && Loaded) dialogs = <Loaded open={open} context={context} onClose={() => setOpen(null)} />
  else if (open && isFailed) {
    dialogs = (
      <div className="toasts">
        <p className="message message-danger" role="alert">
          <Icon name="warning" size={16} />
          <span className="message-text">Part of this page did not load. Reload the page and try again.</span>
        </p>
      </div>
    )
  }
  return { show, prepare, dialogs }
}
