import { renderToString } from 'react-dom/server'
import { expect, test } from 'vitest'
import { DescribedFields, errorsOf } from '../../client/components/described-form.tsx'
import type { Form, FormField } from '../../src/web/contract.ts'

function field(changes: Partial<FormField>): FormField {
  const nothing = { value: '', help_text: '', error: '', widget: { attrs: {}, subwidgets: [] } }
  return { tag: 'input', name: 'recipient-name', label: 'Name', ...nothing, ...changes }
}
const form = (fields: FormField[], hidden: FormField[] = [], errors: string[] = []): Form => ({
  fields,
  hidden_fields: hidden,
  non_field_errors: errors,
})

test('a field is rendered as the server describes it, with its help and error connected', () => {
  const attrs = { type: 'text', maxlength: '100', required: true, id: 'id_recipient-name' }
  const name = field({
    value: 'Ann',
    help_text: 'As on the card.',
    error: 'Too long.',
    widget: { attrs, subwidgets: [] },
  })
  const html = renderToString(<DescribedFields form={form([name])} />)
  expect(html).toContain('<label for="id_recipient-name">Name</label>')
  expect(html).toMatch(
    /<input(?=[^>]* value="Ann")(?=[^>]* maxLength="100")(?=[^>]* required)(?=[^>]* aria-invalid="true")/i,
  )
  expect(html).toContain('aria-describedby="id_recipient-name-help id_recipient-name-error"')
})

test('attributes that could run or style anything are left out', () => {
  const attrs = { onclick: 'alert(1)', style: 'color:red', formaction: 'https://evil.example' }
  const html = renderToString(<DescribedFields form={form([field({ widget: { attrs, subwidgets: [] } })])} />)
  expect(html).not.toMatch(/onclick|style|formaction|evil/i)
})

test('checkboxes, selects and hidden fields keep their values', () => {
  const box = (value: string) =>
    field({ name: `box${value}`, value, widget: { attrs: { type: 'checkbox' }, subwidgets: [] } })
  const kind = field({
    tag: 'select',
    name: 'kind',
    widget: {
      attrs: {},
      subwidgets: [
        { value: 'phone', label: 'Phone', selected: false },
        { value: 'email', label: 'Email', selected: true },
      ],
    },
  })
  const html = renderToString(
    <DescribedFields form={form([box('on'), box(''), kind], [field({ name: 'csrf_token', value: 't' })])} />,
  )
  expect(html.match(/checked=""/g)).toHaveLength(1)
  expect(html).toContain('<option value="email" selected="">')
  expect(html).toContain('<input type="hidden" name="csrf_token" value="t"/>')
})

test('the summary lists every error, and links to the fields', () => {
  const refused = form(
    [field({ error: 'Enter a name.' }), field({ name: 'other' })],
    [],
    ['That number belongs to Ben.'],
  )
  expect(errorsOf([refused])).toEqual([
    { message: 'That number belongs to Ben.' },
    { message: 'Name: Enter a name.', fieldId: 'id_recipient-name' },
  ])
})
