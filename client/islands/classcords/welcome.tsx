import type { WelcomeProps } from '../../../src/classcords/contract.ts'
import type { PageContext } from '../../../src/web/contract.ts'
import { Button, LinkButton } from '../../components/button.tsx'
import { DiscordMark } from '../../components/discord-mark.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { Icon } from '../../components/icon.tsx'
import { NeedsScript } from '../../components/needs-script.tsx'
import { PageHead } from '../../components/page-head.tsx'
import { SearchBox } from '../../components/search-box.tsx'
import type { IslandProps } from '../index.ts'
import { mayAdd, NextStepBanner, PendingInvitesBanner } from './banners.tsx'
import { LoginForm } from './login.tsx'
import { SchoolChips } from './school-chips.tsx'
import { ServerList } from './server-list.tsx'
import { directoryLogInHref, recentCount, schoolsOf } from './server-text.ts'
import { useDialogs } from './use-dialogs.tsx'

/** Leads to all servers. Visitors see a popover that asks them to log in, which needs no script. */
function ExploreButton({ id, isLoggedIn, referral }: { id: string; isLoggedIn: boolean; referral: string | null }) {
  const label = 'Explore All Class Servers'
  if (isLoggedIn) return <LinkButton href="/classcords/all/">{label}</LinkButton>
  return (
    <>
      <button type="button" className="button" popoverTarget={id}>
        {label}
      </button>
      <div id={id} className="prompt" popover="auto" role="dialog" aria-label="Login Required">
        <p>Login Required: Please log in to view more Discord servers for your classes</p>
        <div className="row">
          <LinkButton kind="primary" href={directoryLogInHref(referral, '/classcords/all/')}>
            Log In
          </LinkButton>
          <a href="/classcords/all/">See the public servers</a>
        </div>
      </div>
    </>
  )
}

function Promo({ context, referral }: { context: PageContext; referral: string | null }) {
  return (
    <section className="row card card-body promo" aria-labelledby="promo">
      <div>
        <h2 id="promo">Find and join Discord servers for your college classes</h2>
        <p className="muted small">
          {referral === null
            ? "Sign in to see your school's private servers and share your class's server."
            : "You were invited. Sign in to see your school's private servers and share your class's server."}
        </p>
      </div>
      <LoginForm context={context} referral={referral} />
    </section>
  )
}

function Unlock({ isLoggedIn, referral }: { isLoggedIn: boolean; referral: string | null }) {
  return (
    <>
      <p className="locked-title">Log in and select your school to see its private servers.</p>
      <LinkButton kind="discord" large href={directoryLogInHref(referral)}>
        <DiscordMark />
        {isLoggedIn ? 'Connect Discord' : 'Sign in with Discord'}
      </LinkButton>
      {referral === null && <p className="muted meta">New here? You need a referral or a trusted server.</p>}
    </>
  )
}

export function Island({ props, context }: IslandProps<WelcomeProps>) {
  const { servers, pending_invites_count: pending, referral } = props
  const { user } = context
  const { show, prepare, dialog } = useDialogs(context)
  const explore = { isLoggedIn: user.is_authenticated, referral }
  return (
    <div className="stack stack-large finding">
      {mayAdd(user) && <NeedsScript act="Adding an invite" />}
      <PageHead title="Welcome to Class Cords" about="Recently added Discord servers for your classes">
        <div className="row">
          <span className="quiet-on-phone">
            <ExploreButton id="explore-top" {...explore} />
            <Icon name="next" size={16} />
          </span>
          {mayAdd(user) && (
            <Button kind="primary" icon="plus" onPointerEnter={prepare} onClick={() => show({ dialog: 'submit' })}>
              Add Discord Invite
            </Button>
          )}
        </div>
      </PageHead>
      {user.is_authenticated && <NextStepBanner user={user} next="/classcords/" />}
      <PendingInvitesBanner count={pending} />
      <div className="find">
        <SearchBox referral={referral} hasKey />
        <SchoolChips schools={schoolsOf(servers)} />
      </div>
      {servers.length === 0 ? (
        <>
          {!user.is_authenticated && <Promo context={context} referral={referral} />}
          <div className="card">
            <EmptyState title="No Discord servers found">
              <p>Be the first to add one for your class.</p>
            </EmptyState>
          </div>
        </>
      ) : (
        <ServerList
          servers={servers}
          heading={<p className="muted small numbers recent">{recentCount(servers)}</p>}
          isGrouped
          promo={!user.is_authenticated && <Promo context={context} referral={referral} />}
          unlock={<Unlock isLoggedIn={user.is_authenticated} referral={referral} />}
          timeZone={context.time_zone}
          onNear={prepare}
          onChoose={(server) => show({ dialog: 'server', server })}
        />
      )}
      <div className="center">
        <ExploreButton id="explore-bottom" {...explore} />
      </div>
      {dialog}
    </div>
  )
}
