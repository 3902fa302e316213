import { LinkButton } from '../../../client/components/button.tsx'
import { mayAdd } from '../../../client/islands/classcords/banners.tsx'
import { InviteList } from '../../../client/islands/classcords/invite-list.tsx'
import { serverHref } from '../../../client/islands/classcords/server-text.ts'
import type { PageContext } from '../../web/contract.ts'
import type { InviteGoneProps } from '../contract.ts'

export const inviteGoneTitle = ({ leads_elsewhere }: Pick<InviteGoneProps, 'leads_elsewhere'>): string =>
  leads_elsewhere ? 'This invite now points to a different server.' : 'This invite no longer works.'

/** Shown to a person who tries to join with a dead invite: the server's other invites, or where else to look. */
export function InviteGonePage({ props, context }: { props: InviteGoneProps; context: PageContext }) {
  const { server, invites } = props
  return (
    <div className="narrow stack single">
      <h1>{inviteGoneTitle(props)}</h1>
      <p>
        It was an invite to <bdi>{server.display_name}</bdi>. We removed it and notified the managers and the person who
        added it.
      </p>
      {invites.length > 0 ? (
        <section className="stack" aria-labelledby="other-invites">
          <h2 id="other-invites">
            Other invites to <bdi>{server.display_name}</bdi>
          </h2>
          <InviteList invites={invites} timeZone={context.time_zone} />
          <p>
            <a href={serverHref(server)}>About this server</a>
          </p>
        </section>
      ) : (
        <p>
          There are no other invites to this server yet.
          {mayAdd(context.user) && (
            <>
              {' '}
              Do you have one? <a href="/classcords/#add">Add it</a>.
            </>
          )}
        </p>
      )}
      <p className="row">
        <LinkButton kind={invites.length > 0 ? 'plain' : 'primary'} href="/classcords/all/">
          Explore All Class Servers
        </LinkButton>
        <LinkButton href="/classcords/">Class Cords</LinkButton>
      </p>
    </div>
  )
}
