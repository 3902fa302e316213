import type { ReactNode } from 'react'
import { useConfirmation } from '../../components/use-lazy-dialog.tsx'

/** Asks before a refresh of all schools. `question` must be rendered. */
export function useAllSchools(): { ask: (run: () => void) => void; question: ReactNode } {
  const { show, close, dialog: question } = useConfirmation()
  return {
    ask: (run) =>
      show({
        title: 'Refresh data for all schools?',
        confirmLabel: 'Refresh all schools',
        children:
          "Every school's system is queried, one after another. This can take many minutes; you may leave the page meanwhile.",
        async onConfirm() {
          close()
          run()
        },
      }),
    question,
  }
}
