import type { Delivery } from '../../src/class-tracker/alerts/contract.ts'
import type { IconName } from './icon.tsx'

export const channelNames: Readonly<Record<Delivery['channel'], string>> = {
  phone: 'SMS',
  email: 'Email',
  discord: 'Discord',
  push: 'Notification',
}

export const channelIcons: Readonly<Record<Delivery['channel'], IconName>> = {
  phone: 'phone',
  email: 'email',
  discord: 'discord',
  push: 'push',
}
