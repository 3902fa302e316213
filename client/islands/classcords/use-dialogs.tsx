import { useState, type ComponentType, type ReactNode } from 'react'
import type { PageContext } from '../../../src/web/contract.ts'
import { useLater } from '../../components/use-later.tsx'
import type { DirectoryDialogsProps, OpenDialog } from './directory-dialogs.tsx'

interface Dialogs {
  show: (dialog: OpenDialog) => void
  /** Fetches the dialogs before they are asked for. */
  prepare: () => void
  /** To be rendered by the page: the open dialog, or why it cannot be opened. */
  dialogs: ReactNode
}

async function load(): Promise<ComponentType<DirectoryDialogsProps>> {
  const { DirectoryDialogs } = await import('./directory-dialogs.tsx')
  return DirectoryDialogs
}

/** The dialogs of the directory. They are not part of the first load. */
export function useDialogs(context: PageContext): Dialogs {
  const [open, setOpen] = useState<OpenDialog | null>(null)
  const { Loaded, prepare, failure } = useLater(load)

  function show(dialog: OpenDialog): void {
    prepare()
    setOpen(dialog)
  }

  if (open === null) return { show, prepare, dialogs: null }
  const dialogs = Loaded ? <Loaded open={open} context={context} onClose={() => setOpen(null)} /> : failure
  return { show, prepare, dialogs }
}
