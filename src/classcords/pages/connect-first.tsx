import { LinkButton } from '../../../client/components/button.tsx'
import { DiscordMark } from '../../../client/components/discord-mark.tsx'
import { connectAddress, profilePath } from '../access.ts'

export const connectFirstText =
  'Connect your Discord account to get a profile with your school, submissions, and referrals.'

/** Shown instead of a profile to a user who is logged in without Discord. */
export function ConnectFirstPage({ name }: { name: string }) {
  return (
    <div className="narrow stack single">
      <h1>Connect Discord</h1>
      <p>{`You are logged in as ${name}, but no Discord account is connected.`}</p>
      <p>{connectFirstText}</p>
      <LinkButton kind="discord" large wide href={connectAddress(profilePath)}>
        <DiscordMark />
        Connect Discord
      </LinkButton>
    </div>
  )
}
