import { useState, type ComponentProps, type ReactNode } from 'react'
import type { ConfirmDialog } from './confirm-dialog.tsx'
import { useLater } from './use-later.tsx'

type Question = Omit<ComponentProps<typeof ConfirmDialog>, 'onClose'>

const loadConfirmDialog = async () => (await import('#in-browser/components/confirm-dialog.tsx')).ConfirmDialog

/** Asks in a dialog that is not loaded with the page. `question` must be rendered. */
export function useConfirmation(): { ask: (question: Question) => void; close: () => void; question: ReactNode } {
  const [asked, setAsked] = useState<Question | null>(null)
  const { Loaded, prepare, failure } = useLater(loadConfirmDialog)
  const close = () => setAsked(null)

  return {
    ask(question) {
      prepare()
      setAsked(question)
    },
    close,
    question: asked && (Loaded ? <Loaded {...asked} onClose={close} /> : failure),
  }
}
