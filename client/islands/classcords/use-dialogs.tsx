import { useEffect } from 'react'
import type { PageContext } from '../../../src/web/contract.ts'
import { type LazyDialog, useLazyDialog } from '../../components/use-lazy-dialog.tsx'
import { mayAdd } from './banners.tsx'
import type { OpenDialog } from './directory-dialogs.tsx'

const load = async () => (await import('#in-browser/islands/classcords/directory-dialogs.tsx')).DirectoryDialogs

/** The directory's dialogs, which are not loaded with the page; `prepare` loads them before they are opened. */
export function useDialogs(context: PageContext): LazyDialog<OpenDialog> {
  const later = useLazyDialog(load, (open: OpenDialog, onClose) => ({ open, context, onClose }))
  const { show } = later

  // The address that opens the submit dialog: from a link, or after logging in again.
  const isAllowed = mayAdd(context.user)
  useEffect(() => {
    if (location.hash !== '#add' || !isAllowed) return
    history.replaceState(history.state, '', location.pathname + location.search)
    show({ dialog: 'submit' })
  }, [isAllowed, show])

  return later
}
