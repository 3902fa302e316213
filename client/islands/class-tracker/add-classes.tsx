import { useState, type ReactNode } from 'react'
import type { AddClassesProps, Recipient } from '../../../src/class-tracker/recipients/contract.ts'
import { Button, LinkButton } from '../../components/button.tsx'
import { counted, countText } from '../../components/count-text.ts'
import { EmptyState } from '../../components/empty-state.tsx'
import { ErrorSummary } from '../../components/error-summary.tsx'
import { LiveMark } from '../../components/live-mark.tsx'
import { NeedsScript } from '../../components/needs-script.tsx'
import { PageHead } from '../../components/page-head.tsx'
import { Pagination } from '../../components/pagination.tsx'
import { RelativeTime } from '../../components/relative-time.tsx'
import { StaffSearchForm } from '../../components/staff-search-form.tsx'
import { statusWords } from '../../components/status-words.ts'
import { TrackerProblemNotices } from '../../components/tracker-problem-notices.tsx'
import { Toasts, useToasts } from '../../components/toasts.tsx'
import { useLazyDialog } from '../../components/use-lazy-dialog.tsx'
import type { IslandProps } from '../index.ts'
import { OpenNow } from './open-now.tsx'
import { RecipientCard } from './recipient-card.tsx'
import type { OpenDialog } from './recipient-dialogs.tsx'
import { rowsShown, type WatchQuery, watchQuery, watchSearch } from './recipients.ts'
import { type ChosenRow, SectionMenu } from './section-menu.tsx'
import { useRecipients } from './use-recipients.ts'
import { WatchedHead } from './watched-row.tsx'

/** With this many recipients, typing finds one faster: their sections fold, and open ones come first. */
const MIN_FILTERED = 5

/** The row as it is now. One that left the list stays, so that its dialog does not close. */
const newest = <Row extends { id: number }>(rows: readonly Row[], old: Row): Row =>
  rows.find(({ id }) => id === old.id) ?? old

/** The open dialog's recipient and section. */
function current(open: OpenDialog, recipients: readonly Recipient[]): OpenDialog {
  if (open.recipient === null) return open
  const recipient = newest(recipients, open.recipient)
  if (!('section' in open)) return { ...open, recipient }
  return { ...open, recipient, section: newest(recipient.watched_sections, open.section) }
}

const loadDialogs = async () =>
  (await import('#in-browser/islands/class-tracker/recipient-dialogs.tsx')).RecipientDialogs

interface WatchSummaryProps {
  totals: NonNullable<AddClassesProps['totals']>
  /** Whether the recipients are on several pages; the counted sections are those of this page. */
  isOnePageOfMany: boolean
  /** How many recipients match the filters; null without filters, and if those on other pages are not counted. */
  found: number | null
  /** Whether some watched sections were not read, so that the newest time would be misleading. */
  isUnread: boolean
  timeZone: string
}

/** "3 open now of 12 watched sections · 4 recipients · checked 20 s ago" */
function WatchSummary({ totals, isOnePageOfMany, found, isUnread, timeZone }: WatchSummaryProps) {
  const { sections, open, recipients, observed_at: at } = totals
  const here = isOnePageOfMany ? ' on this page' : ''
  return (
    <>
      {sections === 0 ? (
        `No watched sections${here}`
      ) : (
        <>
          <strong>{`${countText(open)} open now`}</strong>
          {` of ${counted(sections, 'watched section')}${here}`}
        </>
      )}
      {` · ${found === null ? '' : `${countText(found)} of `}${counted(recipients, 'recipient')}`}
      {/* With several pages, the time would be that of this page only; its rows have theirs. */}
      {at !== null && !isOnePageOfMany && !isUnread && (
        <>
          {' · checked '}
          <RelativeTime at={at} timeZone={timeZone} />
        </>
      )}
    </>
  )
}

interface WatchFiltersProps extends Pick<AddClassesProps, 'schools' | 'terms'> {
  query: WatchQuery
  isSearching: boolean
  onSearch: (change: Partial<WatchQuery>) => void
  summary: ReactNode
}

function WatchFilters({ query, isSearching, schools, terms, onSearch, summary }: WatchFiltersProps) {
  const statuses = Object.entries(statusWords).map(([value, label]) => ({ value, label }))
  const all = { value: '', label: 'all' }
  return (
    <StaffSearchForm
      id="find-recipient"
      placeholder="Recipient, class or school"
      query={query}
      filters={[
        { name: 'status', label: 'Status', options: [{ value: '', label: 'any' }, ...statuses] },
        {
          name: 'school_id',
          label: 'School',
          options: [all, ...schools.map(({ id, name }) => ({ value: String(id), label: name }))],
        },
        {
          name: 'term_id',
          label: 'Term',
          options: [all, ...terms.map(({ id, full_term_name: name }) => ({ value: String(id), label: name }))],
        },
      ]}
      onSearch={onSearch}
      isSearching={isSearching}
      found={summary}
    />
  )
}

/** No one matches the search and the filters; without them, there is no one yet. */
function NoRecipients({ shown, children }: { shown: WatchQuery; children: ReactNode }) {
  if (watchSearch(shown) === '') {
    return (
      <div className="card">
        <EmptyState title="No recipients found">
          <p>Add the first person to notify when a seat opens.</p>
          {children}
        </EmptyState>
      </div>
    )
  }
  return (
    <div role="status">
      <EmptyState title="No recipients found">
        <p>{shown.q === '' ? 'Nothing matches these filters.' : `Nothing matches “${shown.q}”.`}</p>
        <LinkButton href="?">Show all recipients</LinkButton>
      </EmptyState>
    </div>
  )
}

export function Island({ props, context }: IslandProps<AddClassesProps>) {
  const { toasts, say, dismiss } = useToasts()
  const { page, liveness, leaving, acts, query, isSearching, errors, search } = useRecipients(props, say)
  const [inMenu, setInMenu] = useState<ChosenRow | null>(null)
  const { recipients, totals, schools, terms } = page
  const { show, prepare, dialog } = useLazyDialog(loadDialogs, (open: OpenDialog, onClose) => {
    return { open: current(open, recipients), schools, terms, acts, context, onClose }
  })
  const rows = rowsShown(recipients)
  const shown = watchQuery(page)
  const isNarrowed = watchSearch(shown) !== ''

  const addRecipient = (
    <Button
      kind="primary"
      icon="plus"
      data-key="n"
      aria-keyshortcuts="n"
      onPointerEnter={prepare}
      onClick={() => show({ dialog: 'recipient', recipient: null })}
    >
      Add recipient
    </Button>
  )
  const summary = totals && recipients.length > 0 && (
    <WatchSummary
      totals={totals}
      isUnread={(page.unread_sources?.length ?? 0) > 0}
      isOnePageOfMany={page.pagination.total_pages > 1 || isNarrowed}
      found={isNarrowed && page.pagination.total_pages === 1 ? recipients.length : null}
      timeZone={context.time_zone}
    />
  )
  return (
    <div className="stack stack-large staff">
      <NeedsScript act="Changing recipients and sections" />
      <PageHead title="Add Classes" about="Watched sections and who gets notified">
        <LiveMark liveness={liveness} isPaused={(page.paused_queues?.length ?? 0) > 0} path={context.path} />
        {addRecipient}
      </PageHead>
      <TrackerProblemNotices paused={page.paused_queues} unread={page.unread_sources} context={context} />
      {totals &&
        (totals.recipients >= MIN_FILTERED || watchSearch(query) !== '' ? (
          <WatchFilters {...page} query={query} isSearching={isSearching} onSearch={search} summary={summary} />
        ) : (
          <p className="small muted numbers">{summary}</p>
        ))}
      <ErrorSummary errors={errors} />
      {recipients.length === 0 && <NoRecipients shown={shown}>{addRecipient}</NoRecipients>}
      <section className="watch-list" aria-label="Watched sections" aria-busy={isSearching || undefined}>
        {totals && totals.sections > 0 && recipients.length > 0 && <WatchedHead />}
        {recipients.length >= MIN_FILTERED && (
          <OpenNow
            recipients={recipients}
            timeZone={context.time_zone}
            onDetails={(recipient, section) => show({ dialog: 'details', recipient, section })}
            onMenu={setInMenu}
          />
        )}
        {recipients.map((recipient, place) => (
          <RecipientCard
            key={recipient.id}
            recipient={recipient}
            timeZone={context.time_zone}
            rows={rows}
            isFoldable={recipients.length >= MIN_FILTERED && !isNarrowed}
            startsFolded={place > 0}
            onShowAll={() => acts.showAll(recipient.id)}
            leaving={leaving.recipientId === recipient.id ? leaving.sectionId : null}
            onOpen={show}
            onMenu={setInMenu}
          />
        ))}
      </section>
      <SectionMenu chosen={inMenu} onOpen={show} />
      <Pagination pagination={page.pagination} hrefOf={(number) => watchSearch(shown, number) || '?'} />
      {dialog}
      <Toasts toasts={toasts} onDismiss={dismiss} />
    </div>
  )
}
