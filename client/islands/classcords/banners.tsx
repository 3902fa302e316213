import { LinkButton } from '../../components/button.tsx'
import { Icon } from '../../components/icon.tsx'
import { countText, logInHref } from './server-text.ts'

/** Tells managers how many submissions are pending; nothing when none are. */
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

/** Tells visitors what they would see after logging in. */
export function SignInBanner({ referral }: { referral: string | null }) {
  return (
    <div className="message">
      <Icon name="lock" size={16} />
      <p className="message-text">You see public servers only. Sign in for your school's private ones.</p>
      <LinkButton href={logInHref(referral, '/classcords/all/')}>Log In</LinkButton>
    </div>
  )
}
