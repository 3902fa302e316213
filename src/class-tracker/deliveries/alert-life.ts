/** How long a message about an opening is worth sending, as the setting has it: a seat that opened hours ago is no news. */
export const alertLife = { setting: 'alert_expires_minutes', initial: 120, minimum: 1, maximum: 24 * 60 } as const

/** When a message that was asked for at `askedAt` (ms) is too old to send. */
export function expiresAt(askedAt: number, setting: string | null): number {
  const minutes = Number(setting ?? alertLife.initial)
  const isSound = minutes >= alertLife.minimum && minutes <= alertLife.maximum
  return askedAt + (isSound ? minutes : alertLife.initial) * 60_000
}
