import { useEffect, useRef, useState } from 'react'
import type { Notice, NoticesProps } from '../../../src/classcords/contract.ts'
import { Badge } from '../../components/badge.tsx'
import { Button } from '../../components/button.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { ErrorSummary } from '../../components/error-summary.tsx'
import { Pagination } from '../../components/pagination.tsx'
import { RelativeTime } from '../../components/relative-time.tsx'
import { useAct } from '../../components/use-act.ts'
import { messagesOf } from '#in-browser/errors.ts'
import { showUnread } from '#in-browser/unread-badge.ts'
import type { IslandProps } from '../index.ts'
import { counted } from '../../components/count-text.ts'
import { calls } from '#in-browser/islands/classcords/calls.ts'

function NoticeEntry({ notice, timeZone, onRead }: { notice: Notice; timeZone: string; onRead: () => void }) {
  const { id, title, body, url, is_read: isRead, datetime_created: created } = notice
  return (
    <li className="submission">
      <div className="stack stack-small grow">
        <div className="row">
          <h2 id={`notice-${id}`} tabIndex={-1}>
            {url === '' ? title : <a href={url}>{title}</a>}
          </h2>
          {!isRead && <Badge tone="info">New</Badge>}
        </div>
        {body !== '' && <p className="small">{body}</p>}
        <p className="muted tiny">
          <RelativeTime at={created} timeZone={timeZone} />
        </p>
      </div>
      {!isRead && (
        <Button kind="soft" onClick={onRead}>
          Mark as read<span className="hidden-visually">: {title}</span>
        </Button>
      )}
    </li>
  )
}

export function Island({ props, context }: IslandProps<NoticesProps>) {
  const [notices, setNotices] = useState(props.notices)
  const [unread, setUnread] = useState(props.unread_count)
  /** Null: there is nothing left to mark of what the page counted. */
  const [newestAt, setNewestAt] = useState(props.newest_at)
  const { busy, errors, act, setErrors } = useAct()
  const marked = useRef(new Set<number>())
  const areAllMarked = useRef(false)
  useEffect(() => showUnread(unread), [unread])

  const show = (isRead: (notice: Notice) => boolean) =>
    setNotices((shown) => shown.map((notice) => (isRead(notice) ? { ...notice, is_read: true } : notice)))
  /** Several may be marked at the same time. */
  async function readOne({ id }: Notice): Promise<void> {
    // A second press of the same button counts once.
    if (marked.current.has(id)) return
    marked.current.add(id)
    setErrors([])
    try {
      await calls.readNotice(id)
      document.getElementById(`notice-${id}`)?.focus()
      show((notice) => notice.id === id)
      // What was marked all at once meanwhile has been counted by the server.
      if (!areAllMarked.current) setUnread((count) => Math.max(0, count - 1))
    } catch (error) {
      marked.current.delete(id)
      setErrors(messagesOf(error))
    }
  }
  const readAll = (until: string) =>
    act(async () => {
      const { unread_count: left } = await calls.readAllNotices(until)
      document.getElementById('main')?.focus()
      areAllMarked.current = true
      show(() => true)
      setUnread(left)
      setNewestAt(null)
    })

  return (
    <div className="stack stack-large">
      <div className="page-head">
        <div>
          <h1>Notifications</h1>
          <p role="status">{unread === 0 ? 'No unread notifications.' : counted(unread, 'unread notification')}</p>
        </div>
        {unread > 0 && newestAt !== null && (
          <Button busy={busy} onClick={() => readAll(newestAt)}>
            Mark all as read
          </Button>
        )}
      </div>
      <ErrorSummary errors={errors} />
      <div className="card">
        {notices.length === 0 ? (
          <EmptyState title="No notifications yet">
            <p>When something happens to one of your servers or invites, you'll see it here.</p>
          </EmptyState>
        ) : (
          <ul>
            {notices.map((notice) => (
              <NoticeEntry
                key={notice.id}
                notice={notice}
                timeZone={context.time_zone}
                onRead={() => void readOne(notice)}
              />
            ))}
          </ul>
        )}
      </div>
      <Pagination pagination={props.pagination} hrefOf={(page) => `?page=${page}`} />
    </div>
  )
}
