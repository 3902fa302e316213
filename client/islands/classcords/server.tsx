import { useEffect } from 'react'
import type { ServerProps } from '../../../src/classcords/contract.ts'
import { useHydrated } from '../../components/use-hydrated.ts'
import type { IslandProps } from '../index.ts'
import { InviteList } from './invite-list.tsx'
import { ReportForm } from './report-form.tsx'
import { ServerAbout, ServerBanner, ShareServer } from './server-about.tsx'
import { UsesChart } from './uses-chart.tsx'

/**
 * If this page was loaded at the address of its dialog (a reload, or Back from a link in it), Back leads to the page that
 * the dialog was on. The browser takes both for one page and changes only the address, so that page is loaded here.
 */
function usePageBefore(): void {
  useEffect(() => {
    const { pathname } = location
    let isReplaced = false
    function load(): void {
      if (location.pathname === pathname) return
      if (isReplaced) return location.reload()
      // Forward would show that page at the address of this one: the entry of this page is replaced.
      isReplaced = true
      history.pushState(null, '', location.href)
      history.back()
    }
    addEventListener('popstate', load)
    return () => removeEventListener('popstate', load)
  }, [])
}

/** A server's own page: the content of its dialog, for links and for browsers without scripts. */
export function Island({ props, context }: IslandProps<ServerProps>) {
  const { server, invites, presence, uses } = props
  const isHydrated = useHydrated()
  usePageBefore()
  return (
    <div className="server-page stack stack-large">
      <section className="card card-body stack">
        <ServerBanner server={server} />
        <h1>
          <bdi>{server.display_name}</bdi>
        </h1>
        <ServerAbout server={server} presence={presence} timeZone={context.time_zone} />
        <h2 className="hidden-visually">Invites</h2>
        <InviteList invites={invites} timeZone={context.time_zone} />
        <div className="server-actions">
          {isHydrated && <ShareServer server={server} />}
          {context.user.discord_user && <ReportForm server={server} context={context} refused={props.refused_report} />}
        </div>
      </section>
      {uses && <UsesChart uses={uses} />}
      <p className="small">
        <a href="/classcords/all/">Explore All Class Servers</a>
      </p>
    </div>
  )
}
