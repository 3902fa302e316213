import type { PageContext } from '../../../src/web/contract.ts'
import { LinkButton } from '../../components/button.tsx'
import { MessageBox } from '../../components/message-box.tsx'
import { countText } from '../../components/count-text.ts'
import { connectHref, directoryLogInHref } from './server-text.ts'

/** Says how many submissions are pending, for managers; nothing if there are none. */
export function PendingInvitesBanner({ count }: { count: number }) {
  if (count < 1) return null
  return (
    <MessageBox tone="warning" action={<LinkButton href="/classcords/unapproved-invites/">Review Invites</LinkButton>}>
      {`${countText(count)} pending invite submission(s) awaiting approval`}
    </MessageBox>
  )
}

export function LoginBanner({ referral }: { referral: string | null }) {
  return (
    <MessageBox
      tone="plain"
      icon="lock"
      action={<LinkButton href={directoryLogInHref(referral, '/classcords/all/')}>Log In</LinkButton>}
    >
      You see public servers only. Log in to see your school’s, too.
    </MessageBox>
  )
}

/** Whether this person may submit an invite: managers for any school, others for their own. */
export function mayAdd({ discord_user: person }: PageContext['user']): boolean {
  return person !== null && (person.school !== null || person.role_info.value === 'manager')
}

/** The missing step of a logged-in person. None for superusers, who may see every server. */
export function NextStepBanner({ user, next }: { user: PageContext['user']; next: string }) {
  const person = user.discord_user
  if (person?.school || user.is_superuser) return null
  const [href, label] = person ? ['/classcords/profile/', 'Select your school'] : [connectHref(next), 'Connect Discord']
  return (
    <MessageBox tone="info" action={<LinkButton href={href}>{label}</LinkButton>}>
      You see public servers only. {label} to see the others and to add one.
    </MessageBox>
  )
}
