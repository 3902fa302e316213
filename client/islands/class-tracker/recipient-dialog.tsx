import { useEffect, useId, useRef, useState, type FormEvent } from 'react'
import type { GetRecipientForm, Recipient } from '../../../src/class-tracker/recipients/contract.ts'
import { Button } from '../../components/button.tsx'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { DiscardDialog } from '../../components/discard-dialog.tsx'
import { DescribedFields, errorsOf } from '../../components/described-form.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { ErrorSummary } from '../../components/error-summary.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { useRecipientForm } from './use-recipient-form.ts'

interface RecipientDialogProps {
  /** The recipient to edit; null adds a new one (id 0 in the calls). */
  recipient: Recipient | null
  onSaved: (recipient: Recipient) => void
  onContactRemoved: (contactId: number) => void
  onClose: () => void
}

interface RemovedContact {
  id: number
  /** '' if its address is not known. */
  number: string
}

/** Adds or edits a recipient. What was typed survives a refusal, and is discarded only after a question. */
export function RecipientDialog({ recipient, onSaved, onContactRemoved, onClose }: RecipientDialogProps) {
  const id = recipient?.id ?? 0
  const { forms, problems, refusals, isSaving, save, onKind, removeContact } = useRecipientForm(id, onSaved)
  const [isDiscarding, setDiscarding] = useState(false)
  const [removing, setRemoving] = useState<RemovedContact | null>(null)
  const isDirty = useRef(false)
  const formId = useId()

  // The form appears after the dialog, whose focus is on its close button until then: a space in a typed name would
  // press it.
  const isReady = forms !== null
  useEffect(() => {
    if (isReady && id === 0) document.getElementById(formId)?.querySelector<HTMLElement>('.input')?.focus()
  }, [isReady, id, formId])

  function close(): void {
    if (isSaving) return
    if (isDirty.current) setDiscarding(true)
    else onClose()
  }

  function submit(event: FormEvent<HTMLFormElement>): void {
    event.preventDefault()
    save(new FormData(event.currentTarget))
  }

  function onChange({ target }: FormEvent<HTMLFormElement>): void {
    isDirty.current = true
    if (target instanceof HTMLSelectElement) onKind(target.name, target.value)
  }

  const refused = forms
    ? errorsOf([forms.recipient_form, ...forms.contact_info_forms, forms.new_contact_info_form])
    : []
  return (
    <>
      <Dialog
        title={recipient ? `Edit ${recipient.name}` : 'Add recipient'}
        description="Someone we notify when a seat opens."
        onClose={close}
        footer={
          <>
            <Button onClick={close}>Cancel</Button>
            <Button kind="primary" type="submit" form={formId} busy={isSaving} disabled={forms === null}>
              {recipient ? 'Save changes' : 'Add recipient'}
            </Button>
          </>
        }
      >
        <ErrorSummary key={refusals} heading="Error:" errors={[...problems, ...refused]} focus />
        {forms === null && problems.length === 0 && <Skeleton label="Loading the form" lines={4} />}
        {forms && (
          <form id={formId} noValidate onSubmit={submit} onChange={onChange}>
            <RecipientFields forms={forms} onRemove={setRemoving} />
          </form>
        )}
      </Dialog>
      {isDiscarding && <DiscardDialog onDiscard={onClose} onClose={() => setDiscarding(false)} />}
      {removing && (
        <ConfirmDialog
          title={`Remove ${removing.number || 'this contact'}?`}
          confirmLabel="Remove contact"
          danger
          onConfirm={async () => {
            await removeContact(removing.id)
            onContactRemoved(removing.id)
            setRemoving(null)
          }}
          onClose={() => setRemoving(null)}
        >
          No more messages will go there. Messages not sent yet will be canceled.
        </ConfirmDialog>
      )}
    </>
  )
}

interface RecipientFieldsProps {
  forms: GetRecipientForm
  onRemove: (contact: RemovedContact) => void
}

/** The recipient's own fields, those of each contact, and those of a new contact. */
function RecipientFields({ forms, onRemove }: RecipientFieldsProps) {
  return (
    <>
      <DescribedFields form={forms.recipient_form} />
      <h3>Contact info</h3>
      {forms.contact_info_forms.length === 0 && <p className="muted small">No contact info</p>}
      {forms.contact_info_forms.map((form, index) => {
        const number = form.fields.find(({ name }) => name.endsWith('number'))?.value ?? ''
        return (
          <fieldset key={form.contact_id} className="stack stack-small contact-form">
            <legend className="hidden-visually">Contact {index + 1}</legend>
            <div className="field-group">
              <DescribedFields form={form} />
            </div>
            <Button kind="quiet" icon="trash" onClick={() => onRemove({ id: form.contact_id, number })}>
              Remove<span className="hidden-visually"> {number || 'contact'}</span>
            </Button>
          </fieldset>
        )
      })}
      <fieldset className="stack stack-small contact-form contact-form-new">
        <legend className="label">New contact</legend>
        <div className="field-group">
          <DescribedFields form={forms.new_contact_info_form} />
        </div>
      </fieldset>
    </>
  )
}
