import { BrandMark } from '../../../client/components/brand-mark.tsx'
import { Button, LinkButton } from '../../../client/components/button.tsx'
import { drawings } from '../../../client/components/card.tsx'
import { counted } from '../../../client/components/count-text.ts'
import { Field } from '../../../client/components/field.tsx'
import { hueOf, initialOf } from '../../../client/components/hue.ts'
import { Drawing, Icon } from '../../../client/components/icon.tsx'
import { ServerIcon } from '../../../client/components/server-icon.tsx'
import { LoginForm } from '../../../client/islands/classcords/login.tsx'
import { joinHref, schoolsText, serverChips, serverHref } from '../../../client/islands/classcords/server-text.ts'
import { Island } from '../../web/page/island.tsx'
import type { PageContext } from '../../web/contract.ts'
import type { ClasscordsLoginProps, DiscordServer } from '../contract.ts'
import type { Invitation, TrustedServer, SignUpOptions } from '../referrals/sign-up-options.ts'

interface LoginPageProps {
  props: ClasscordsLoginProps
  context: PageContext
  /** Where to go after login; '' for the directory's default. */
  next: string
  /** For people who were sent a referral or were refused; null for everyone else, whose page is not read from the database. */
  options: SignUpOptions | null
}

/** Decoration: two facing seats, one taken by the person who sent the invitation and one free. */
function TwoSeats({ name }: { name: string }) {
  return (
    <div className="two-seats" aria-hidden="true">
      <span className="seat-of">
        <BrandMark size={112} />
        <span className={`initial ${hueOf(name)}`}>{initialOf(name)}</span>
      </span>
      <BrandMark size={112} />
    </div>
  )
}

function InvitedBy({ invitation: { inviter, school } }: { invitation: Invitation }) {
  return (
    <>
      <h1 className="display">
        <bdi>{inviter}</bdi> invited you
      </h1>
      <p className="muted">to Class Cords, the Discord servers for classes at {school ?? 'your college'}.</p>
    </>
  )
}

/** Some servers, for a person who was invited. They are links, so that the only button on the page is to log in. */
function SampleServers({ servers }: { servers: readonly DiscordServer[] }) {
  if (servers.length === 0) return null
  return (
    <section className="stack stack-small" aria-labelledby="inside">
      <h2 id="inside" className="label">
        What's inside
      </h2>
      <ul className="card way-rows">
        {servers.map((server) => (
          <li key={server.id} className={hueOf(server.name)}>
            <ServerIcon name={server.display_name} url={server.icon_url} />
            <div>
              <span className="course-code">{serverChips(server).shown.join(' ')}</span>
              <p>
                <a className="strong" href={serverHref(server)}>
                  <bdi>{server.display_name}</bdi>
                </a>
              </p>
              <p className="muted meta numbers">
                {schoolsText(server.schools)} · {counted(server.member_count, 'member')}
              </p>
            </div>
          </li>
        ))}
      </ul>
    </section>
  )
}

/** What an account requires, shown before the person goes to Discord. */
function Requirements() {
  return (
    <section className="stack stack-small" aria-labelledby="bring">
      <h2 id="bring" className="label">
        New here? You need one of these:
      </h2>
      <ul className="card way-rows">
        <li>
          <span className="sign">
            <Drawing path={drawings.link} size={16} />
          </span>
          <span>
            <span className="strong">A referral link</span>
            <span className="muted meta">Anyone with an account can send you one.</span>
          </span>
        </li>
        <li>
          <span className="sign">
            <Icon name="people" size={16} />
          </span>
          <span>
            <span className="strong">Membership in a trusted server</span>
            <span className="muted meta">
              Join any of the <a href="/classcords/">featured servers</a>; they are open to everyone.
            </span>
          </span>
        </li>
      </ul>
    </section>
  )
}

function HowToGetAnAccount({ trusted, next }: { trusted: readonly TrustedServer[]; next: string }) {
  return (
    <section className="stack" aria-labelledby="ways">
      <h2 id="ways">How to get an account</h2>
      {trusted.length > 0 && (
        <>
          <p className="small">Join one of these servers with your Discord account, then log in again:</p>
          <ul className="card way-rows">
            {trusted.map(({ name, invite }) => (
              <li key={invite}>
                <ServerIcon name={name} url={null} />
                <bdi className="grow strong">{name}</bdi>
                <LinkButton
                  kind="soft"
                  href={joinHref({ id: invite })}
                  target="_blank"
                  rel="noopener noreferrer nofollow"
                >
                  Join
                  <span className="hidden-visually"> {name}</span>
                </LinkButton>
              </li>
            ))}
          </ul>
          <p className="or muted meta">or</p>
        </>
      )}
      <form className="stack stack-small" action="/classcords/login/">
        <Field
          id="referral"
          label="Paste a referral from a friend"
          help="A referral link or code from a classmate who has an account."
        >
          <span className="field-and-button">
            <input
              id="referral"
              name="referral"
              className="input"
              autoComplete="off"
              autoCapitalize="none"
              spellCheck={false}
              required
              aria-describedby="referral-help"
            />
            <Button type="submit">Use referral</Button>
          </span>
        </Field>
        {next !== '' && <input type="hidden" name="next" value={next} />}
      </form>
    </section>
  )
}

/** Only redeeming a referral needs a script. The field `next` is outside the form, linked by the form's id. */
export function LoginPage({ props, context, next, options }: LoginPageProps) {
  const invitation = options?.invitation ?? null
  return (
    <div className="narrow stack stack-large login">
      {invitation && <TwoSeats name={invitation.inviter} />}
      <div className="stack stack-small center">
        {invitation ? (
          <InvitedBy invitation={invitation} />
        ) : (
          <>
            <h1>Log in to Class Cords</h1>
            {props.referral !== null && (
              <p>
                This invitation has expired or was used up. Ask the person who sent it for a new one, or get an account
                another way below.
              </p>
            )}
            <p className="muted">See your school's private servers and share your class's server.</p>
          </>
        )}
      </div>
      <div className="stack">
        {context.user.is_authenticated && (
          <p>
            {`You are logged in as ${context.user.name}, but no Discord account is connected. Sign in with Discord to connect one.`}
          </p>
        )}
        {next !== '' && <input type="hidden" name="next" value={next} form="discord-login" />}
        {props.referral === null ? (
          <LoginForm context={context} referral={null} />
        ) : (
          <Island name="classcords/login" props={props} context={context} />
        )}
        {invitation && <p className="meta center">Your invitation will be applied.</p>}
        <p className="muted meta center">
          Discord tells us your name, picture, email address and the servers you are in. We never post anything for you.
        </p>
      </div>
      {options?.invitation && <SampleServers servers={options.sampleServers} />}
      {options === null && <Requirements />}
      {options?.invitation === null && <HowToGetAnAccount trusted={options.trusted} next={next} />}
      <p className="small center">
        <a href="/classcords/all/">Browse servers first</a>
      </p>
    </div>
  )
}
