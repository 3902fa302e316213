import { useState, type ReactNode } from 'react'
import { useLater } from '../../components/use-later.tsx'

const loadConfirmDialog = async () => (await import('#in-browser/components/confirm-dialog.tsx')).ConfirmDialog

/**
 * Asks for confirmation before a refresh of all schools. `question` must be rendered; null while no question is open.
 */
export function useAllSchools(): { ask: (run: () => void) => void; question: ReactNode } {
  const [asked, setAsked] = useState<{ run: () => void } | null>(null)
  const { Loaded: ConfirmDialog, prepare, failure } = useLater(loadConfirmDialog)
  const close = () => setAsked(null)

  return {
    ask: (run) => {
      prepare()
      setAsked({ run })
    },
    question:
      asked &&
      (ConfirmDialog ? (
        <ConfirmDialog
          title="Refresh data for all schools?"
          confirmLabel="Refresh all schools"
          onConfirm={async () => {
            close()
            asked.run()
          }}
          onClose={close}
        >
          Every school's system is asked, one after the other. This can take many minutes; you may leave the page
          meanwhile.
        </ConfirmDialog>
      ) : (
        failure
      )),
  }
}
