import { LinkButton } from '../../../client/components/button.tsx'
import { EmptyState } from '../../../client/components/empty-state.tsx'
import { hueOf, initialsOf } from '../../../client/components/hue.ts'
import { PageHead } from '../../../client/components/page-head.tsx'
import { Pagination } from '../../../client/components/pagination.tsx'
import { LinkedCards } from '../../../client/islands/classcords/linked-cards.tsx'
import { SchoolChips } from '../../../client/islands/classcords/school-chips.tsx'
import { serverCount } from '../../../client/islands/classcords/server-text.ts'
import type { PageContext } from '../../web/contract.ts'
import type { SchoolProps } from '../contract.ts'

/** A school's public servers, for people who come from a search engine. Needs no script. */
export function SchoolPage({ props, context }: { props: SchoolProps; context: PageContext }) {
  const { school, other_schools: others, servers, server_count, pagination } = props
  return (
    <div className="stack stack-large">
      <header className={`school-head ${hueOf(school.name)}`}>
        <div className="band" />
        <span className="server-icon" aria-hidden="true">
          {initialsOf(school.name)}
        </span>
        <PageHead
          title={`Discord servers for classes at ${school.name}`}
          about={
            context.user.is_authenticated ? (
              'Find and join Discord servers for your college classes'
            ) : (
              <>
                These are the public servers. <a href="/classcords/login/">Log in with Discord</a> to see your school's
                private servers.
              </>
            )
          }
        >
          <span className="quiet-on-phone">
            <LinkButton href="/classcords/all/">Explore All Class Servers</LinkButton>
          </span>
        </PageHead>
      </header>
      {servers.length === 0 ? (
        <div className="card">
          <EmptyState title="No Discord servers found">
            <p>This school has no public servers yet.</p>
          </EmptyState>
        </div>
      ) : (
        <section className="stack" aria-labelledby="servers">
          <h2 id="servers">{serverCount(server_count, pagination)}</h2>
          <LinkedCards servers={servers} timeZone={context.time_zone} />
        </section>
      )}
      <Pagination pagination={pagination} hrefOf={(page) => `?page=${page}`} />
      {others.length > 0 && (
        <section className="stack stack-small" aria-labelledby="others">
          <h2 id="others">Other schools</h2>
          <SchoolChips schools={others} />
        </section>
      )}
    </div>
  )
}
