import type { AnchorHTMLAttributes, ButtonHTMLAttributes } from 'react'
import { Icon, type IconName } from './icon.tsx'
import { Spinner } from './spinner.tsx'

/** `soft` is for several buttons side by side; `discord` is only for links to Discord. */
type Kind = 'primary' | 'plain' | 'quiet' | 'danger' | 'soft' | 'discord'

interface Look {
  kind?: Kind | undefined
  icon?: IconName
  wide?: boolean | undefined
  /** Whether it is the main action of its page. */
  large?: boolean | undefined
}

function classOf({ kind = 'plain', wide, large }: Look, iconOnly = false): string {
  const names = ['button']
  if (kind !== 'plain') names.push(`button-${kind}`)
  if (iconOnly) names.push('button-icon')
  if (wide) names.push('button-wide')
  if (large) names.push('button-large')
  return names.join(' ')
}

interface ButtonProps
  extends Look, Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'style' | 'className' | 'formAction'> {
  busy?: boolean
  /** Shows only the icon; the children still name the button. */
  iconOnly?: boolean
}

/** While `busy` it shows a spinner and ignores presses, but keeps the focus for keyboard users. */
export function Button({
  kind,
  icon,
  wide,
  large,
  busy = false,
  iconOnly = false,
  children,
  onClick,
  type = 'button',
  ...rest
}: ButtonProps) {
  // A plain text becomes the label; anything else stays in the button, hidden from view.
  const name = iconOnly && typeof children === 'string' ? children : undefined
  return (
    <button
      {...rest}
      type={busy ? 'button' : type}
      className={classOf({ kind, wide, large }, iconOnly)}
      aria-disabled={busy || undefined}
      aria-busy={busy || undefined}
      title={name ?? rest.title}
      aria-label={name ?? rest['aria-label']}
      onClick={busy ? undefined : onClick}
    >
      {busy ? <Spinner /> : icon && <Icon name={icon} size={iconOnly ? 20 : 16} />}
      {name === undefined && (iconOnly ? <span className="hidden-visually">{children}</span> : children)}
    </button>
  )
}

export function LinkButton({
  kind,
  icon,
  wide,
  large,
  children,
  ...rest
}: Look & Omit<AnchorHTMLAttributes<HTMLAnchorElement>, 'style' | 'className'>) {
  return (
    <a {...rest} className={classOf({ kind, wide, large })}>
      {icon && <Icon name={icon} size={16} />}
      {children}
    </a>
  )
}
