import type { PageContext } from '../../web/contract.ts'
import { withNext } from '../next.ts'
import { FormPage } from '../pages/form-page.tsx'
import type { OAuthRequest, Process } from './oauth-state.ts'
import { connectionsPath, loginPath, discordLoginPath } from '../paths.ts'

const words: Readonly<Record<Process, { title: string; lead: string }>> = {
  login: {
    title: 'Log in with Discord',
    lead: 'You are about to log in with your Discord account.',
  },
  connect: {
    title: 'Connect Discord',
    lead: 'You are about to connect your Discord account.',
  },
  redirect: {
    title: 'Confirm access',
    lead: 'You are about to confirm with Discord that it is still you.',
  },
}

/** Asks before a user is sent to Discord: opening a link must not do it. */
export function ContinuePage({ context, request }: { context: PageContext; request: Omit<OAuthRequest, 'userId'> }) {
  const { title, lead } = words[request.process]
  const back = context.user.is_authenticated
    ? { href: connectionsPath, label: 'Account connections' }
    : { href: withNext(loginPath, request.next), label: 'Log in another way' }
  return (
    <FormPage
      context={context}
      title={title}
      lead={lead}
      action={discordLoginPath}
      submit="Continue"
      next={request.next}
      links={[back]}
    >
      <input type="hidden" name="process" value={request.process} />
      {request.referral === '' ? null : <input type="hidden" name="referral" value={request.referral} />}
      {request.process === 'login' && request.referral === '' ? (
        <p>First time here? To join, you need a referral link or to be in a trusted server.</p>
      ) : null}
      <p className="muted small">
        Discord tells us your name, picture, email address and the servers you are in. We never post anything for you.
      </p>
    </FormPage>
  )
}
