import { useState, type ReactNode } from 'react'
import type { ExploreAllListingsProps, School } from '../../../src/classcords/contract.ts'
import type { PageData } from '../../../src/web/contract.ts'
import { Button, LinkButton } from '../../components/button.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { ErrorSummary } from '../../components/error-summary.tsx'
import { NeedsScript } from '../../components/needs-script.tsx'
import { PageHead } from '../../components/page-head.tsx'
import { Pagination } from '../../components/pagination.tsx'
import { usePageSearch } from '../../use-page-search.ts'
import type { IslandProps } from '../index.ts'
import { mayAdd, NextStepBanner, PendingInvitesBanner, LoginBanner } from './banners.tsx'
import { changed, exploreSearch, isSearch, queryOf, type ExploreQuery } from './explore-query.ts'
import { SearchCard } from './search-card.tsx'
import { ServerList } from './server-list.tsx'
import { schoolHref, schoolsOf, serverCount } from './server-text.ts'
import { useDialogs } from './use-dialogs.tsx'

const hrefOf = (query: ExploreQuery): string => exploreSearch(query, null) || '?'

interface FoundProps {
  count: string
  query: ExploreQuery
  /** The query that found these servers; more may have been typed since. */
  words: string
  /** The user's own school. */
  own: School | null
  /** The selected school, which has its own page; null if none was selected. */
  school: School | null
  onClear: () => void
}

/** How many servers were found, with links that clear the search and switch between all schools and the user's own. */
function Found({ count, query, words, own, school, onClear }: FoundProps) {
  return (
    <div className="row found-line">
      <h2>
        {count}
        {words !== '' && (
          <span className="muted">
            {' for “'}
            <bdi>{words}</bdi>”
          </span>
        )}
      </h2>
      {school && (
        <a className="small" href={schoolHref(school)}>
          About <bdi>{school.name}</bdi>
        </a>
      )}
      {isSearch(query) && (
        <a
          className={(query.subjectId ?? query.courseId) === null ? 'small only-plain' : 'small'}
          href="/classcords/all/"
          onClick={(event) => {
            event.preventDefault()
            onClear()
          }}
        >
          Clear
        </a>
      )}
      {own && (
        <a className="small" href={hrefOf(changed(query, { schoolId: query.schoolId === null ? 0 : null }))}>
          {query.schoolId === null ? 'All schools' : <>Only {own.name}</>}
        </a>
      )}
    </div>
  )
}

interface NothingFoundProps {
  shown: ExploreAllListingsProps
  query: ExploreQuery
  own: School | null
  children: ReactNode
}

function NothingFound({ shown, query, own, children }: NothingFoundProps) {
  return (
    <div className="card">
      <EmptyState title="No Discord servers found">
        {shown.is_search_active ? (
          <>
            <p>
              {shown.is_truncated
                ? 'These words are too common to search every server for. Add a word or choose a subject to narrow the search.'
                : 'No servers match this search.'}
            </p>
            <div className="row acts">
              {own && query.schoolId === null && (
                <LinkButton kind="primary" href={hrefOf(changed(query, { schoolId: 0 }))}>
                  Search all schools
                </LinkButton>
              )}
              <LinkButton href="/classcords/all/">Show all servers</LinkButton>
              {children}
            </div>
          </>
        ) : (
          <p>Be the first to add one for your class.</p>
        )}
      </EmptyState>
    </div>
  )
}

/** The listings and their search, which runs 300 ms after the last change, or immediately after clearing. */
function useExplore(props: ExploreAllListingsProps) {
  const [shown, setShown] = useState(props)
  const page = usePageSearch(queryOf(props), (found: PageData<ExploreAllListingsProps>) => setShown(found.props))

  function search(change: Partial<ExploreQuery>): void {
    const wanted = changed(page.query, change)
    page.search(wanted, exploreSearch(wanted, props.referral), isSearch(wanted))
  }

  return { shown, ...page, search }
}

export function Island({ props, context }: IslandProps<ExploreAllListingsProps>) {
  const { shown, query, isSearching, errors, search } = useExplore(props)
  const { show, prepare, dialog } = useDialogs(context)
  const { user } = context
  const count = serverCount(shown.server_count, shown.pagination)
  const school = schoolsOf(shown.servers).find(({ id }) => id === shown.school_id) ?? null
  const clear = () => search({ subjectId: null, courseId: null, q: '' })
  const own = user.discord_user?.school ?? null
  const add = () => show({ dialog: 'submit' })
  return (
    <div className="stack stack-large finding docked">
      <NeedsScript act="Filtering by school or subject" />
      <PageHead title="Explore All Class Servers">
        {mayAdd(user) ? (
          <Button kind="primary" icon="plus" onPointerEnter={prepare} onClick={add}>
            Add Discord Invite
          </Button>
        ) : (
          user.discord_user && (
            // The school is selected there first; then the same dialog opens.
            <LinkButton kind="primary" icon="plus" href="/classcords/profile/#add">
              Add Discord Invite
            </LinkButton>
          )
        )}
      </PageHead>
      {user.is_authenticated && <NextStepBanner user={user} next="/classcords/all/" />}
      <PendingInvitesBanner count={shown.pending_invites_count} />
      <SearchCard
        query={query}
        referral={shown.referral}
        own={own}
        isSearching={isSearching}
        found={shown.server_count}
        onSearch={search}
      />
      <ErrorSummary errors={errors} />
      <p className="hidden-visually" role="status">
        {isSearching ? 'Searching…' : `${count}.`}
      </p>
      {shown.is_truncated && shown.servers.length > 0 && (
        <p className="muted">
          {shown.sort === 'members'
            ? 'There are too many servers to compare, so some with more members may be missing.'
            : 'Many servers match, and only some of them are shown.'}{' '}
          Add a word or choose a subject to narrow the search.
        </p>
      )}
      <div aria-busy={isSearching || undefined}>
        {shown.servers.length === 0 ? (
          <NothingFound shown={shown} query={query} own={own}>
            {mayAdd(user) && (
              <Button kind="soft" icon="plus" onPointerEnter={prepare} onClick={add}>
                Share yours
              </Button>
            )}
          </NothingFound>
        ) : (
          <ServerList
            servers={shown.servers}
            heading={<Found count={count} query={query} words={shown.q} own={own} school={school} onClear={clear} />}
            isGrouped={false}
            timeZone={context.time_zone}
            words={shown.q}
            schoolId={shown.school_id ?? own?.id}
            onNear={prepare}
            onChoose={(server) => show({ dialog: 'server', server })}
          />
        )}
      </div>
      <Pagination
        pagination={shown.pagination}
        hrefOf={(page) => exploreSearch({ ...queryOf(shown), page }, shown.referral) || '?'}
      />
      {!user.is_authenticated && <LoginBanner referral={shown.referral} />}
      {dialog}
    </div>
  )
}
