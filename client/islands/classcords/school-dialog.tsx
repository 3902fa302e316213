import { useState } from 'react'
import type { School } from '../../../src/classcords/contract.ts'
import { Button } from '../../components/button.tsx'
import { Combobox, nameOf } from '../../components/combobox.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { reloadPage } from '../../components/dialog-history.ts'
import { ErrorSummary } from '../../components/error-summary.tsx'
import { useAct } from '../../components/use-act.ts'
import { calls } from './calls.ts'

/** The call's errors begin with the field's name, but this dialog has only one field. */
const withoutField = (error: string): string => error.replace(/^school: /, '')

interface SchoolDialogProps {
  schools: readonly School[]
  school: School | null
  /** Null: the dialog cannot be dismissed. */
  onClose: (() => void) | null
}

export function SchoolDialog({ schools, school, onClose }: SchoolDialogProps) {
  const [chosen, setChosen] = useState(school)
  const [isTried, setTried] = useState(false)
  const { busy, errors, act } = useAct()

  function save(): void {
    setTried(true)
    if (chosen === null) return document.getElementById('own-school')?.focus()
    act(async () => {
      await calls.selectSchool(chosen.id)
      reloadPage()
    })
  }

  return (
    <Dialog
      title="Select Your School"
      description="You'll see your school's servers and can share yours. You can change it every 30 days."
      onClose={busy ? null : onClose}
      footer={
        <>
          {onClose && (
            <Button onClick={onClose} disabled={busy}>
              Cancel
            </Button>
          )}
          <Button kind="primary" busy={busy} onClick={save}>
            Save school
          </Button>
        </>
      }
    >
      <ErrorSummary errors={errors.map(withoutField)} focus />
      <Combobox
        id="own-school"
        label="School"
        options={schools}
        value={chosen}
        textOf={nameOf}
        placeholder="Select your school…"
        emptyText="No schools yet."
        error={isTried && chosen === null ? 'Select your school.' : ''}
        autoFocus
        onChoose={setChosen}
      />
    </Dialog>
  )
}
