import { useEffect, useState } from 'react'
import type { GetRecipientForm, Recipient } from '../../../src/class-tracker/recipients/contract.ts'
import type { Form } from '../../../src/web/contract.ts'
import { useAct } from '../../components/use-act.ts'
import { messagesOf } from '../../errors.ts'
import { calls } from './calls.ts'

/** A form whose other field matches the selected kind. */
function described<One extends Form>(form: One, kindName: string, kind: string): One {
  const kinds = form.fields.find(({ name }) => name === kindName)?.widget.subwidgets
  const shape = kinds?.find(({ value }) => value === kind)?.shape
  if (!shape) return form
  const { name: addressName, inputmode, ...texts } = shape
  return {
    ...form,
    fields: form.fields.map((field) =>
      field.name === addressName
        ? { ...field, ...texts, widget: { ...field.widget, attrs: { ...field.widget.attrs, inputmode } } }
        : field,
    ),
  }
}

/** Loads the forms of a recipient (0: a new one) and sends them. */
export function useRecipientForm(id: number, onSaved: (recipient: Recipient) => void) {
  /** Null while they are loading. Errors in a field are in them. */
  const [forms, setForms] = useState<GetRecipientForm | null>(null)
  const [loadErrors, setLoadErrors] = useState<string[]>([])
  const [refusals, setRefusals] = useState(0)
  const { busy, errors, act } = useAct()

  useEffect(() => {
    const controller = new AbortController()
    calls.getRecipientForm(id, controller.signal).then(setForms, (error: unknown) => {
      if (!controller.signal.aborted) setLoadErrors(messagesOf(error))
    })
    return () => controller.abort()
  }, [id])

  const change = (changed: (shown: GetRecipientForm) => GetRecipientForm) =>
    setForms((shown) => (shown === null ? null : changed(shown)))

  function save(typed: FormData): void {
    act(async () => {
      const answer = await calls.addRecipient(id, typed)
      if (answer.recipient) return onSaved(answer.recipient)
      change((shown) => ({
        recipient_form: answer.recipient_form ?? shown.recipient_form,
        contact_info_forms: answer.contact_info_forms,
        new_contact_info_form: answer.new_contact_info_form ?? shown.new_contact_info_form,
      }))
      setRefusals((count) => count + 1)
    })
  }

  async function removeContact(contactId: number): Promise<void> {
    await calls.removeContact(contactId)
    change((shown) => ({
      ...shown,
      contact_info_forms: shown.contact_info_forms.filter(({ contact_id: one }) => one !== contactId),
    }))
  }

  return {
    forms,
    problems: [...loadErrors, ...errors],
    refusals,
    isSaving: busy,
    save,
    /** Describes the address field for the kind that was selected in `field`. */
    onKind: (field: string, kind: string) =>
      change((shown) => ({
        ...shown,
        contact_info_forms: shown.contact_info_forms.map((form) => described(form, field, kind)),
        new_contact_info_form: described(shown.new_contact_info_form, field, kind),
      })),
    removeContact,
  }
}
