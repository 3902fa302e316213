import { useState, type ReactNode } from 'react'
import { useLater } from '../../components/use-later.tsx'

const loadConfirmDialog = async () => (await import('#in-browser/components/confirm-dialog.tsx')).ConfirmDialog

/** Asks before a refresh of all schools. `question` is to be rendered: null while nothing is asked. */
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
