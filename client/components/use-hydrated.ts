import { useSyncExternalStore } from 'react'

const never = () => () => undefined

/** Whether scripts run: false on the server and while hydrating, so that both write the same page. */
export function useHydrated(): boolean {
  return useSyncExternalStore(
    never,
    () => true,
    () => false,
  )
}
