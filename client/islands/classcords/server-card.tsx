import type { ReactNode } from 'react'
import type { DiscordServer, Presence } from '../../../src/classcords/contract.ts'
import { hueOf } from '../../components/hue.ts'
import { Icon } from '../../components/icon.tsx'
import { ServerIcon } from '../../components/server-icon.tsx'
import { absoluteText, clockText, dateText, shortDayText } from '../../components/time-text.ts'
import { useNow } from '../../components/use-now.ts'
import { counted, countText } from '../../components/count-text.ts'
import { SchoolName } from './names.tsx'
import { ServerBadges } from './server-badges.tsx'
import { cardAbout } from './server-names.ts'
import { MAX_PRESENCE_AGE_MS, schoolHref, schoolsText, serverChips, type ServerGroup } from './server-text.ts'

interface Listed {
  server: DiscordServer
  /** The name as a link, which covers the whole card or row. */
  title: ReactNode
  timeZone: string
}

function Codes({ server }: { server: DiscordServer }) {
  const { shown, more } = serverChips(server)
  return (
    <p className="codes">
      {shown.map((text) => (
        <bdi key={text} className={`course-code clip ${hueOf(text.replace(/ \S*\d\S*$/, ''))}`}>
          {text}
        </bdi>
      ))}
      {more > 0 && <span className="course-code">+{more}</span>}
      {shown.length === 0 && server.is_general_server && <span className="muted meta">All courses</span>}
    </p>
  )
}

/** The first school as a link to its page, above the link that covers the card. */
function Schools({ schools }: Pick<DiscordServer, 'schools'>) {
  const [first] = schools
  const text = schoolsText(schools)
  if (first === undefined) return text
  return (
    <>
      <a href={schoolHref(first)}>
        <SchoolName name={first.name} />
      </a>
      {text.slice(first.name.length)}
    </>
  )
}

function Members({ count }: { count: number }) {
  return (
    <span className="members" title={counted(count, 'member')}>
      <Icon name="people" size={16} />
      {countText(count)}
      <span className="hidden-visually"> {count === 1 ? 'member' : 'members'}</span>
    </span>
  )
}

/** Until the figure is too old. Without scripts its time is written out, because a cached page has no age. */
function OnlineCount({ presence, timeZone }: { presence: Presence; timeZone: string }) {
  const now = useNow()
  if (presence === null || (now !== null && now - Date.parse(presence.counted_at) > MAX_PRESENCE_AGE_MS)) return null
  const { online_count: count, counted_at: at } = presence
  return (
    <span className="online" title={`Counted ${absoluteText(at, timeZone, true)}`}>
      {countText(count)}
      <span className="unit"> online</span>{' '}
      <time className="only-plain" dateTime={at}>
        {shortDayText(Date.parse(at), timeZone)}, {clockText(at, timeZone)}
      </time>
    </span>
  )
}

/** Looks like a button and is part of the link around it, which leads to the server's invites. */
function Join() {
  return (
    <span className="button button-soft join" aria-hidden="true">
      Join
    </span>
  )
}

/** A server as a card under a band in its hue. The parts of neighboring cards are aligned. */
export function ServerCard({ server, title, group, timeZone }: Listed & { group?: ServerGroup['key'] | undefined }) {
  const { datetime_created: createdAt } = server
  const about = cardAbout(server) || (createdAt === null ? '' : `Added ${dateText(createdAt, timeZone)}`)
  return (
    <article className={`card server-card ${hueOf(server.name)}`}>
      <div className="band">
        <ServerBadges server={server} group={group} />
      </div>
      <div className="server-card-head">
        <ServerIcon name={server.display_name} url={server.icon_url} />
        <Codes server={server} />
      </div>
      <h3>{title}</h3>
      <p className="muted meta server-school">
        <Schools schools={server.schools} />
      </p>
      <p className="about meta muted" dir="auto">
        {about}
      </p>
      <p className="server-card-foot muted meta">
        <span className="grow">
          <Members count={server.member_count} />
          <OnlineCount presence={server.presence} timeZone={timeZone} />
        </span>
        <Join />
      </p>
    </article>
  )
}

/** A server as one row of a list: three lines on a phone. Its description replaces a school that all rows share. */
export function ServerRow({ server, title, timeZone, isOneSchool }: Listed & { isOneSchool: boolean }) {
  return (
    <article className={`server-row ${hueOf(server.name)}`}>
      <ServerIcon name={server.display_name} url={server.icon_url} />
      <Codes server={server} />
      <div className="server-row-name">
        <h3>{title}</h3>
        <ServerBadges server={server} />
      </div>
      <p className="muted meta clip server-school">
        {isOneSchool ? <bdi>{cardAbout(server)}</bdi> : <Schools schools={server.schools} />}
      </p>
      <p className="muted meta server-row-members">
        <Members count={server.member_count} />
      </p>
      <p className="muted meta server-row-online">
        <OnlineCount presence={server.presence} timeZone={timeZone} />
      </p>
      <Join />
    </article>
  )
}
