import { useEffect, useId, useRef, useState, type FormEvent } from 'react'
import type { GetRecipientForm, Recipient } from '../../../src/class-tracker/recipients/contract.ts'
import type { Form } from '../../../src/web/contract.ts'
import { Button } from '../../components/button.tsx'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { DescribedFields, errorsOf } from '../../components/described-form.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { ErrorSummary } from '../../components/error-summary.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { useAct } from '../../components/use-act.ts'
import { messagesOf } from '../../errors.ts'
import type { ClassTrackerCalls } from './calls.ts'

interface RecipientDialogProps {
  /** The recipient to edit; null adds a new one (id 0 in the calls). */
  recipient: Recipient | null
  calls: ClassTrackerCalls
  csrfToken: string
  onSaved: (recipient: Recipient) => void
  onContactRemoved: (contactId: number) => void
  onClose: () => void
}

/** As the server describes a contact's address; label, help and keyboard follow the kind while it is being chosen. */
const addressFields: Readonly<Record<string, { label: string; help_text: string; inputmode: string }>> = {
  phone: { label: 'Phone Number', help_text: 'With its area code, such as (202) 555-0143.', inputmode: 'tel' },
  email: { label: 'Email Address', help_text: 'Such as name@example.com.', inputmode: 'email' },
  discord: {
    label: 'Webhook URL',
    help_text: 'In Discord: Edit Channel, Integrations, Webhooks, Copy Webhook URL.',
    inputmode: 'url',
  },
}

/** The forms with the address of one contact described after its newly chosen kind. */
function described(forms: GetRecipientForm, kindName: string, kind: string): GetRecipientForm {
  const words = addressFields[kind]
  if (!words) return forms
  const { inputmode, ...texts } = words
  const addressName = kindName.replace(/kind$/, 'number')
  const inForm = <One extends Form>(form: One): One => ({
    ...form,
    fields: form.fields.map((field) =>
      field.name === addressName
        ? { ...field, ...texts, widget: { ...field.widget, attrs: { ...field.widget.attrs, inputmode } } }
        : field,
    ),
  })
  return {
    ...forms,
    contact_info_forms: forms.contact_info_forms.map(inForm),
    new_contact_info_form: inForm(forms.new_contact_info_form),
  }
}

type Asking = { what: 'discard' } | { what: 'contact'; id: number; number: string } | null

/** Adds or edits a recipient and the contacts. What was typed survives a refusal and asks before it is thrown away. */
export function RecipientDialog({
  recipient,
  calls,
  csrfToken,
  onSaved,
  onContactRemoved,
  onClose,
}: RecipientDialogProps) {
  const id = recipient?.id ?? 0
  const [forms, setForms] = useState<GetRecipientForm | null>(null)
  const [loadErrors, setLoadErrors] = useState<string[]>([])
  const [asking, setAsking] = useState<Asking>(null)
  const [refusals, setRefusals] = useState(0)
  const isDirty = useRef(false)
  const formId = useId()
  const { busy, errors, act } = useAct()

  useEffect(() => {
    const leaving = new AbortController()
    calls.getRecipientForm(id, leaving.signal).then(setForms, (error: unknown) => {
      if (!leaving.signal.aborted) setLoadErrors(messagesOf(error))
    })
    return () => leaving.abort()
  }, [calls, id])

  // The form comes after the dialog, whose focus is on its close button until then: a space in a typed name would press it.
  const isReady = forms !== null
  useEffect(() => {
    if (isReady && id === 0) document.getElementById(formId)?.querySelector<HTMLElement>('.input')?.focus()
  }, [isReady, id, formId])

  function close(): void {
    if (busy) return
    if (isDirty.current) setAsking({ what: 'discard' })
    else onClose()
  }

  function save(event: FormEvent<HTMLFormElement>): void {
    event.preventDefault()
    const data = new FormData(event.currentTarget)
    act(async () => {
      const answer = await calls.addRecipient(id, data)
      if (answer.recipient) {
        onSaved(answer.recipient)
        return
      }
      setForms((shown) =>
        shown === null
          ? shown
          : {
              recipient_form: answer.recipient_form ?? shown.recipient_form,
              contact_info_forms: answer.contact_info_forms,
              new_contact_info_form: answer.new_contact_info_form ?? shown.new_contact_info_form,
            },
      )
      setRefusals((count) => count + 1)
    })
  }

  async function removeContact(contactId: number): Promise<void> {
    await calls.removeContact(contactId)
    setForms(
      (shown) =>
        shown && {
          ...shown,
          contact_info_forms: shown.contact_info_forms.filter(({ contact_id: one }) => one !== contactId),
        },
    )
    onContactRemoved(contactId)
    setAsking(null)
  }

  const refused = forms
    ? errorsOf([forms.recipient_form, ...forms.contact_info_forms, forms.new_contact_info_form])
    : []
  const problems = [...loadErrors, ...errors].map((message) => ({ message }))
  const hasToken = forms?.recipient_form.hidden_fields.some(({ name }) => name === 'csrf_token') ?? false

  return (
    <>
      <Dialog
        title={recipient ? `Edit ${recipient.name}` : 'Add recipient'}
        description="Someone we notify when a seat opens."
        onClose={close}
        footer={
          <>
            <Button onClick={close}>Cancel</Button>
            <Button kind="primary" type="submit" form={formId} busy={busy} disabled={forms === null}>
              {recipient ? 'Save changes' : 'Add recipient'}
            </Button>
          </>
        }
      >
        <ErrorSummary key={refusals} heading="Error:" errors={[...problems, ...refused]} focus />
        {forms === null && loadErrors.length === 0 && <Skeleton label="Loading the form" lines={4} tall />}
        {forms && (
          <form
            id={formId}
            noValidate
            onSubmit={save}
            onChange={({ target }) => {
              isDirty.current = true
              if (!(target instanceof HTMLSelectElement)) return
              const { name, value } = target
              setForms((shown) => shown && described(shown, name, value))
            }}
          >
            {!hasToken && <input type="hidden" name="csrf_token" value={csrfToken} />}
            <DescribedFields form={forms.recipient_form} />
            <h3>Contact info</h3>
            {forms.contact_info_forms.length === 0 && <p className="muted small">No contact info</p>}
            {forms.contact_info_forms.map((form, index) => {
              const number = form.fields.find(({ name }) => name.endsWith('number'))?.value ?? ''
              return (
                <fieldset key={form.contact_id} className="contact-form">
                  <legend className="hidden-visually">Contact {index + 1}</legend>
                  <div className="field-group">
                    <DescribedFields form={form} />
                  </div>
                  <Button
                    kind="quiet"
                    icon="trash"
                    onClick={() => setAsking({ what: 'contact', id: form.contact_id, number })}
                  >
                    Remove {number || 'contact'}
                  </Button>
                </fieldset>
              )
            })}
            <fieldset className="contact-form contact-form-new">
              <legend className="label">New contact</legend>
              <div className="field-group">
                <DescribedFields form={forms.new_contact_info_form} />
              </div>
            </fieldset>
          </form>
        )}
      </Dialog>
      {asking?.what === 'discard' && (
        <ConfirmDialog
          title="Discard what you typed?"
          confirmLabel="Discard"
          danger
          onConfirm={async () => onClose()}
          onClose={() => setAsking(null)}
        >
          Your changes were not saved.
        </ConfirmDialog>
      )}
      {asking?.what === 'contact' && (
        <ConfirmDialog
          title={`Remove ${asking.number || 'this contact'}?`}
          confirmLabel="Remove contact"
          danger
          onConfirm={() => removeContact(asking.id)}
          onClose={() => setAsking(null)}
        >
          No more messages will go there. Messages not sent yet will be canceled.
        </ConfirmDialog>
      )}
    </>
  )
}
