import type { Form, FormField } from '../../web/contract.ts'
import { initialValues, type ReferralValues, timeframes, usesChoices } from './referral-rules.ts'

const timeframeLabels = {
  '1w': '1 week',
  '2w': '2 weeks',
  '1m': '1 month',
  '3m': '3 months',
  permanent: 'Never',
} as const

interface Option {
  value: string
  label: string
}

export const usesOptions: readonly Option[] = usesChoices.map((choice) => ({
  value: String(choice),
  label: choice === 0 ? 'Unlimited' : `${choice} uses`,
}))
export const timeframeOptions: readonly Option[] = timeframes.map((choice) => ({
  value: choice,
  label: timeframeLabels[choice],
}))

/** What was sent in a form that is shown again, and its errors. */
export interface SentForm {
  values?: ReferralValues
  errors?: Partial<ReferralValues>
  non_field_errors?: string[]
}

/** The form's description for the page. Only managers are offered unlimited and permanent referrals. */
export function referralForm(isManager: boolean, sent: SentForm): Form {
  const field = (name: keyof ReferralValues, label: string, options: readonly Option[]): FormField => {
    const value = sent.values?.[name].trim() || initialValues[name]
    const offered = options.filter((option) => isManager || (option.value !== '0' && option.value !== 'permanent'))
    return {
      tag: 'select',
      name,
      label,
      value,
      help_text: '',
      error: sent.errors?.[name] ?? '',
      widget: {
        attrs: { id: `id_${name}` },
        subwidgets: offered.map((option) => ({ ...option, selected: option.value === value })),
      },
    }
  }
  return {
    fields: [
      field('max_uses_choice', 'Maximum uses', usesOptions),
      field('expiry_timeframe', 'Expires after', timeframeOptions),
    ],
    hidden_fields: [],
    non_field_errors: sent.non_field_errors ?? [],
  }
}
