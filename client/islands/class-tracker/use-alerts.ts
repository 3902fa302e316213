import { useState } from 'react'
import type { ClassAlertsProps } from '../../../src/class-tracker/alerts/contract.ts'
import { addressQuery } from '../../address-query.ts'
import { toastOf, type Toast } from '../../components/toasts.tsx'
import { useLiveSearch } from '../../use-live-page.ts'

/** The search and the filters as the address names them; '' for none. */
export type AlertQuery = Record<'q' | 'recipient_id' | 'channel' | 'result', string>

export const noQuery: AlertQuery = { q: '', recipient_id: '', channel: '', result: '' }

/** The query part of the address; '' for page 1 of everything. */
export const alertSearch = (query: AlertQuery, page = 1): string => addressQuery({ ...query, page })

/** The alerts of the page and their filter. */
export function useAlerts(props: ClassAlertsProps, say: (toast: Toast) => void) {
  const [shown, setShown] = useState(props)
  const search = useLiveSearch<ClassAlertsProps, AlertQuery>({
    initial: {
      q: props.q,
      recipient_id: String(props.selected_recipient_id ?? ''),
      channel: props.channel ?? '',
      result: props.result ?? '',
    },
    addressOf: alertSearch,
    onPage(page) {
      setShown(page.props)
      for (const message of page.context.messages) say(toastOf(message))
    },
  })
  return { shown, ...search }
}
