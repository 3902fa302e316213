import type { WelcomeProps } from '../../../src/classcords/contract.ts'
import { Button, LinkButton } from '../../components/button.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { LoginPrompt } from '../../components/login-prompt.tsx'
import { NeedsScript } from '../../components/needs-script.tsx'
import type { IslandProps } from '../index.ts'
import { PendingInvitesBanner } from './banners.tsx'
import { ServerList } from './server-list.tsx'
import { logInHref, recentCount } from './server-text.ts'
import { SignInForm } from './login.tsx'
import { useDialogs } from './use-dialogs.tsx'

function ExploreButton({ id, isSignedIn, referral }: { id: string; isSignedIn: boolean; referral: string | null }) {
  const label = 'Explore All Class Servers'
  if (isSignedIn) return <LinkButton href="/classcords/all/">{label}</LinkButton>
  return (
    <LoginPrompt
      id={id}
      label={label}
      text="Login Required: Please log in to view more Discord servers for your classes"
      logIn={logInHref(referral, '/classcords/all/')}
    />
  )
}

export function Island({ props, context }: IslandProps<WelcomeProps>) {
  const { servers, pending_invites_count: pending, referral } = props
  const { user } = context
  const { show, prepare, dialogs } = useDialogs(context)
  const explore = { isSignedIn: user.is_authenticated, referral }
  return (
    <div className="stack stack-large">
      {user.discord_user && <NeedsScript act="Adding an invite" />}
      <div className="page-head">
        <div>
          <h1>Welcome to Class Cords</h1>
          <p>Recently added Discord servers for your classes</p>
        </div>
        <div className="row">
          <ExploreButton id="explore-top" {...explore} />
          {user.discord_user && (
            <Button
              kind="primary"
              icon="plus"
              onPointerEnter={prepare}
              onClick={() => show({ dialog: 'submit', inviteUrl: '', notes: '' })}
            >
              Add Discord Invite
            </Button>
          )}
        </div>
      </div>
      {!user.is_authenticated && (
        <section className="card card-body promo" aria-labelledby="promo">
          <div>
            <h2 id="promo">Find and join Discord servers for your college classes</h2>
            <p className="muted">
              {referral === null
                ? "Log in to see your school's private servers and share your class's server."
                : "You were invited. Log in to see your school's private servers and share your class's server."}
            </p>
          </div>
          <SignInForm context={context} referral={referral} />
        </section>
      )}
      <PendingInvitesBanner count={pending} />
      {servers.length === 0 ? (
        <div className="card">
          <EmptyState title="No Discord servers found">
            <p>Be the first to add one for your class.</p>
          </EmptyState>
        </div>
      ) : (
        <ServerList
          servers={servers}
          heading={recentCount(servers)}
          isGrouped
          onNear={prepare}
          onChoose={(server) => show({ dialog: 'server', server })}
        />
      )}
      <div className="centre">
        <ExploreButton id="explore-bottom" {...explore} />
      </div>
      {dialogs}
    </div>
  )
}
