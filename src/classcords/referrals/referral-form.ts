import { referral } from '../../db/schema/index.ts'
import { DAY_MS } from '../../lib/time.ts'
import type { Form, FormField } from '../../web/contract.ts'
import type { ExpiryTimeframe } from '../contract.ts'

const usesChoices = [20, 50, 100, 0]
const timeframes: Readonly<Record<ExpiryTimeframe, { label: string; days: number | null }>> = {
  '1w': { label: '1 week', days: 7 },
  '2w': { label: '2 weeks', days: 14 },
  '1m': { label: '1 month', days: 30 },
  '3m': { label: '3 months', days: 90 },
  permanent: { label: 'Never', days: null },
}

interface Option {
  value: string
  label: string
}

export const usesOptions: readonly Option[] = usesChoices.map((choice) => ({
  value: String(choice),
  label: choice === 0 ? 'Unlimited' : `${choice} uses`,
}))
export const timeframeOptions: readonly Option[] = referral.expiryTimeframe.enumValues.map((value) => ({
  value,
  label: timeframes[value].label,
}))

/** When a referral created at `now` expires; null: never. */
export function expiryOf(timeframe: ExpiryTimeframe, now: number): number | null {
  const { days } = timeframes[timeframe]
  return days === null ? null : now + days * DAY_MS
}

export type ReferralValues = Record<'max_uses_choice' | 'expiry_timeframe', string>

export const initialValues: ReferralValues = { max_uses_choice: '20', expiry_timeframe: '1w' }

export interface ReferralChoice {
  maxUses: number
  timeframe: ExpiryTimeframe
}

/** Reads the form; a blank field has its initial value. Errors by field. */
export function readReferralForm(
  sent: ReferralValues,
  isManager: boolean,
): { choice: ReferralChoice; errors: Partial<ReferralValues> } {
  const valueOf = (name: keyof ReferralValues) => sent[name].trim() || initialValues[name]
  const maxUses = usesChoices.find((choice) => String(choice) === valueOf('max_uses_choice'))
  const timeframe = referral.expiryTimeframe.enumValues.find((choice) => choice === valueOf('expiry_timeframe'))
  const invalid = 'Select a valid choice.'
  return {
    choice: { maxUses: maxUses ?? 20, timeframe: timeframe ?? '1w' },
    errors: {
      ...(maxUses === undefined && { max_uses_choice: invalid }),
      ...(maxUses === 0 && !isManager && { max_uses_choice: 'Only manager users can create unlimited referrals.' }),
      ...(timeframe === undefined && { expiry_timeframe: invalid }),
      ...(timeframe === 'permanent' &&
        !isManager && { expiry_timeframe: 'Only manager users can create permanent referrals.' }),
    },
  }
}

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
