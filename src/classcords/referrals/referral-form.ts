import type { Form, FormField } from '../../web/contract.ts'
import { timeframes, usesChoices } from './referral-rules.ts'

export const timeframeLabels = {
  '1w': '1 week',
  '2w': '2 weeks',
  '1m': '1 month',
  '3m': '3 months',
  permanent: 'Never',
} as const

/** The form's fields as they were sent. */
export type ReferralValues = Record<'max_uses_choice' | 'expiry_timeframe', string>

/** The errors of a form that was sent. */
export interface FormErrors {
  errors?: Partial<ReferralValues>
  non_field_errors?: string[]
}

/** The form's description for the page. Choices for managers are offered to managers only. */
export function referralForm(isManager: boolean, shown: FormErrors & { values?: ReferralValues } = {}): Form {
  const uses = usesChoices.filter((choice) => choice !== 0 || isManager)
  const periods = timeframes.filter((choice) => choice !== 'permanent' || isManager)
  const field = (
    name: 'max_uses_choice' | 'expiry_timeframe',
    label: string,
    usual: string,
    choices: { value: string; label: string }[],
  ): FormField => {
    const value = shown.values?.[name].trim() || usual
    return {
      tag: 'select',
      name,
      label,
      value,
      help_text: '',
      error: shown.errors?.[name] ?? '',
      widget: {
        attrs: { id: `id_${name}` },
        subwidgets: choices.map((choice) => ({ ...choice, selected: choice.value === value })),
      },
    }
  }
  return {
    fields: [
      field(
        'max_uses_choice',
        'Maximum uses',
        '20',
        uses.map((choice) => ({ value: String(choice), label: choice === 0 ? 'Unlimited' : `${choice} uses` })),
      ),
      field(
        'expiry_timeframe',
        'Expires after',
        '1w',
        periods.map((choice) => ({ value: choice, label: timeframeLabels[choice] })),
      ),
    ],
    hidden_fields: [],
    non_field_errors: shown.non_field_errors ?? [],
  }
}
