import { useEffect, useState, type ComponentType } from 'react'
import type { PageContext } from '../../../src/web/contract.ts'
import { useLater } from '../../components/use-later.tsx'
import { mayAdd } from './banners.tsx'
import type { DirectoryDialogsProps, OpenDialog } from './directory-dialogs.tsx'

async function load(): Promise<ComponentType<DirectoryDialogsProps>> {
  const { DirectoryDialogs } = await import('#in-browser/islands/classcords/directory-dialogs.tsx')
  return DirectoryDialogs
}

/** The directory's dialogs, which are not loaded with the page; `prepare` loads them before they are opened. */
export function useDialogs(context: PageContext) {
  const [open, setOpen] = useState<OpenDialog | null>(null)
  const { Loaded, prepare, failure } = useLater(load)

  // The address that opens the submit dialog: from a link, or after logging in again.
  const isAllowed = mayAdd(context.user)
  useEffect(() => {
    if (location.hash !== '#add' || !isAllowed) return
    history.replaceState(history.state, '', location.pathname + location.search)
    prepare()
    setOpen({ dialog: 'submit' })
  }, [isAllowed, prepare])

  function show(dialog: OpenDialog): void {
    prepare()
    setOpen(dialog)
  }

  if (open === null) return { show, prepare, dialogs: null }
  const dialogs = Loaded ? <Loaded open={open} context={context} onClose={() => setOpen(null)} /> : failure
  return { show, prepare, dialogs }
}
