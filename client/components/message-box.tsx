import type { ReactNode } from 'react'
import { Icon, type IconName } from './icon.tsx'

export type Tone = 'info' | 'success' | 'warning' | 'danger'

export const toneIcons: Record<Tone, IconName> = {
  info: 'info',
  success: 'check',
  warning: 'warning',
  danger: 'warning',
}

interface MessageBoxProps {
  tone: Tone | 'plain'
  /** Default: that of the tone. */
  icon?: IconName
  /** Given if the message appears while the page is read. */
  role?: 'status' | 'alert' | 'note'
  action?: ReactNode
  children: ReactNode
}

export function MessageBox({
  tone,
  icon = tone === 'plain' ? 'info' : toneIcons[tone],
  role,
  action,
  children,
}: MessageBoxProps) {
  return (
    <div className={`message message-${tone}`} role={role}>
      <Icon name={icon} size={16} />
      <p className="message-text">{children}</p>
      {action}
    </div>
  )
}
