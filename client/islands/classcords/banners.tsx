import { LinkButton } from '../../components/button.tsx'
import { Icon } from '../../components/icon.tsx'
import { countText, logInHref } from './server-text.ts'

/** For managers: how many submissions wait. Nothing when none do. */
export function PendingInvitesBanner({ count }: { count: number }) {
  if (count < 1) return null
  return (
    <div className="message message-warning">
      <Icon name="warning" size={16} />
      <p className="message-text">
        {countText(count, 'pending invite submission(s)', 'pending invite submission(s)')} awaiting approval
      </p>
      <LinkButton href="/classcords/unapproved-invites/">Review Invites</LinkButton>
    </div>
  )
}

/** For visitors: what they would see more of. */
export function SignInBanner({ referral }: { referral: string | null }) {
  return (
    <div className="message message-info">
      <Icon name="info" size={16} />
      <p className="message-text">
        You see public servers only. Sign in with Discord to see the private servers of your school and to add your own.
      </p>
      <LinkButton href={logInHref(referral, '/classcords/all/')}>Log In</LinkButton>
    </div>
  )
}
