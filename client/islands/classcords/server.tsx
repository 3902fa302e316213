import { useMemo } from 'react'
import type { ServerProps } from '../../../src/classcords/contract.ts'
import { ShareButton } from '../../components/share-button.tsx'
import type { IslandProps } from '../index.ts'
import { classcordsCalls } from './calls.ts'
import { InviteList } from './invite-list.tsx'
import { ReportForm } from './report-form.tsx'
import { ServerAbout, ServerBanner } from './server-about.tsx'
import { serverHref } from './server-text.ts'
import { UsesChart } from './uses-chart.tsx'

/** A server's own page: what its dialog shows, to link to and for browsers without scripts. */
export function Island({ props, context }: IslandProps<ServerProps>) {
  const { server, invites, presence, uses } = props
  const calls = useMemo(() => classcordsCalls(context.csrf_token), [context.csrf_token])
  return (
    <div className="server-page stack stack-large">
      <section className="card card-body stack">
        <ServerBanner server={server} />
        <h1>
          <bdi>{server.display_name}</bdi>
        </h1>
        <ServerAbout server={server} presence={presence} timeZone={context.time_zone} />
      </section>
      <section className="stack" aria-labelledby="invites">
        <h2 id="invites">Invites</h2>
        <InviteList invites={invites} timeZone={context.time_zone} calls={calls} />
      </section>
      {uses && <UsesChart uses={uses} />}
      {context.user.discord_user && (
        <ReportForm server={server} context={context} calls={calls} refused={props.refused_report} />
      )}
      {server.privacy_level_info.value === 'public' && (
        <div>
          <ShareButton url={serverHref(server)} title={server.display_name} />
        </div>
      )}
      <p className="small">
        <a href="/classcords/all/">Explore All Class Servers</a>
      </p>
    </div>
  )
}
