import type { RegistryName } from '../../../src/scheduler/contract.ts'
import { registryOrder } from './texts.ts'

/** The list a job of this state is found in. */
export function registryOf(status: string): RegistryName {
  if (status === 'started') return 'active'
  if (status === 'stopped') return 'finished'
  return registryOrder.find((registry) => registry === status) ?? 'queued'
}
