import { useState } from 'react'
import type { Contact, Recipient } from '../../../src/class-tracker/recipients/contract.ts'
import { Badge } from '../../components/badge.tsx'
import { Button } from '../../components/button.tsx'
import { channelIcons } from '../../components/channel-names.ts'
import { Icon } from '../../components/icon.tsx'
import { closingMenu, RowMenu } from '../../components/row-menu.tsx'
import { shortDayText } from '../../components/time-text.ts'
import { counted } from '../../components/count-text.ts'
import type { OpenDialog } from './recipient-dialogs.tsx'
import { isUsable, unreachableText } from './recipients.ts'
import type { ChosenRow } from './section-menu.tsx'
import { statusNow } from './section-text.ts'
import { WatchedRow } from './watched-row.tsx'

interface RecipientCardProps {
  recipient: Recipient
  timeZone: string
  /** The id of the section that is being removed from the list. */
  leaving: number | null
  /** How many sections are drawn at first. */
  rows: number
  /** Whether its sections can be folded: the page has many recipients, and nothing was searched for. */
  isFoldable: boolean
  /** Whether they are folded at first; open sections are above all recipients. */
  startsFolded: boolean
  /** Loads the sections that the page did not include. */
  onShowAll: () => Promise<void>
  onOpen: (dialog: OpenDialog) => void
  /** Tells the shared menu which row it is about. */
  onMenu: (row: ChosenRow) => void
}

function contactState(contact: Contact, recipient: Recipient): string {
  if (contact.opted_out) return 'opted out'
  // With only one contact, the recipient is marked as unreachable already, so the reason is shown instead.
  if (contact.undeliverable !== null) return recipient.phone_numbers.length === 1 ? '' : 'not reachable'
  if (!contact.is_enabled) return 'off'
  if (!isUsable(contact, recipient)) return 'texts off'
  return contact.verified ? 'confirmed' : ''
}

/** Only the end: that tells numbers apart, and anyone with a webhook's full address can post to its channel. */
function addressText({ kind, number }: Contact): string {
  if (kind === 'phone') return `•••• ${number.slice(-4)}`
  if (kind !== 'discord') return number
  const end = /\/webhooks\/\d*(\d{4})(?=\/)/.exec(number)?.[1]
  return end === undefined ? 'Discord webhook' : `Discord webhook …${end}`
}

function Contacts({ recipient }: { recipient: Recipient }) {
  if (recipient.phone_numbers.length === 0) return <p className="muted">No contact info</p>
  const count = counted(recipient.phone_numbers.length, 'contact')
  return (
    <>
      <span className="muted meta" aria-hidden="true">
        {count}
      </span>
      <ul className="contacts" aria-label={count}>
        {recipient.phone_numbers.map((contact) => {
          const state = contactState(contact, recipient)
          return (
            <li key={contact.id} className={isUsable(contact, recipient) ? 'row contact' : 'row contact muted'}>
              <Icon name={channelIcons[contact.kind]} size={16} />
              <span className="clip" title={contact.kind === 'discord' ? undefined : contact.number}>
                {addressText(contact)}
              </span>
              {state && <Badge tone={state === 'confirmed' ? 'done' : 'neutral'}>{state}</Badge>}
              {!state && contact.undeliverable && <span className="figure-failed">{contact.undeliverable}</span>}
            </li>
          )
        })}
      </ul>
    </>
  )
}

interface RecipientHeadProps extends Pick<RecipientCardProps, 'recipient' | 'timeZone' | 'isFoldable' | 'onOpen'> {
  isFolded: boolean
  onFold: () => void
}

/** The number of watched sections; on a page with many recipients, a button that folds and unfolds them. */
function WatchedCount({ recipient, isFoldable, isFolded, onFold }: Omit<RecipientHeadProps, 'timeZone' | 'onOpen'>) {
  const count = recipient.watched_count
  if (count === 0) return <span className="muted recipient-count">No watched sections</span>
  if (!isFoldable) return <span className="muted recipient-count">{count} watched</span>
  return (
    <button type="button" className="link-button muted recipient-count" aria-expanded={!isFolded} onClick={onFold}>
      {count} watched<b className="hidden-visually"> for {recipient.name}</b>
      <Icon name="down" size={12} />
    </button>
  )
}

function RecipientHead({ recipient, timeZone, isFoldable, isFolded, onFold, onOpen }: RecipientHeadProps) {
  const open = recipient.watched_sections.filter((section) => statusNow(section) === 'open').length
  return (
    <div className="recipient-head">
      <div className="row recipient-who">
        <h2 id={`recipient-${recipient.id}`} tabIndex={-1}>
          {recipient.name}
        </h2>
        {unreachableText(recipient) && <Badge tone="waitlisted">Can’t be reached</Badge>}
        {recipient.paused_until && (
          <Badge tone="waitlisted">Paused until {shortDayText(Date.parse(recipient.paused_until), timeZone)}</Badge>
        )}
        <Contacts recipient={recipient} />
        {recipient.description && (
          <p className="muted clip recipient-about" dir="auto" title={recipient.description}>
            {recipient.description}
          </p>
        )}
      </div>
      {open > 0 && <Badge tone="open">{open} open</Badge>}
      <WatchedCount recipient={recipient} isFoldable={isFoldable} isFolded={isFolded} onFold={onFold} />
      <div className="row recipient-acts only-script">
        <Button kind="quiet" icon="plus" onClick={() => onOpen({ dialog: 'watch', recipient })}>
          Add section<span className="hidden-visually"> for {recipient.name}</span>
        </Button>
        <RowMenu id={`recipient-menu-${recipient.id}`} label={`More for ${recipient.name}`}>
          <button type="button" onClick={closingMenu(() => onOpen({ dialog: 'invite', recipient }))}>
            Copy invitation
          </button>
          <button type="button" onClick={closingMenu(() => onOpen({ dialog: 'recipient', recipient }))}>
            Edit
          </button>
          <button
            type="button"
            className="menu-danger"
            onClick={closingMenu(() => onOpen({ dialog: 'remove-recipient', recipient }))}
          >
            Remove
          </button>
        </RowMenu>
      </div>
    </div>
  )
}

export function RecipientCard(props: RecipientCardProps) {
  const { recipient, timeZone, leaving, rows, isFoldable, startsFolded, onShowAll, onOpen, onMenu } = props
  const [isWhole, setIsWhole] = useState(false)
  const [wantsFolded, setWantsFolded] = useState(startsFolded)
  const [knownCount, setKnownCount] = useState(recipient.watched_count)
  if (recipient.watched_count !== knownCount) {
    setKnownCount(recipient.watched_count)
    // A section that was just added must be visible.
    if (recipient.watched_count > knownCount) setWantsFolded(false)
  }
  const isFolded = isFoldable && wantsFolded
  const [isBusy, setIsBusy] = useState(false)
  const sections = isWhole ? recipient.watched_sections : recipient.watched_sections.slice(0, rows)
  const hidden = recipient.watched_count - sections.length

  async function showAll(): Promise<void> {
    // Sections that were not drawn came without their history, or were not loaded.
    if (recipient.watched_sections.length < recipient.watched_count || rows < recipient.watched_sections.length) {
      setIsBusy(true)
      await onShowAll()
      setIsBusy(false)
    }
    setIsWhole(true)
  }
  function fold(): void {
    setWantsFolded(!wantsFolded)
    // A long page renders only the first row of each recipient.
    if (wantsFolded && rows < recipient.watched_sections.length) void showAll()
  }
  return (
    <article className={isFolded ? 'recipient folded' : 'recipient'} aria-labelledby={`recipient-${recipient.id}`}>
      <RecipientHead {...props} isFolded={isFolded} onFold={fold} />
      {sections.length > 0 && (
        <ul>
          {sections.map((section) => (
            <li key={section.id} className={leaving === section.id ? 'fold fold-away' : 'fold'}>
              <WatchedRow
                section={section}
                timeZone={timeZone}
                onDetails={() => onOpen({ dialog: 'details', recipient, section })}
                onMenu={() => onMenu({ recipient, section, isForAll: false })}
              />
            </li>
          ))}
        </ul>
      )}
      {hidden > 0 && (
        <Button kind="quiet" busy={isBusy} onClick={() => void showAll()}>
          Show {hidden} more<span className="hidden-visually"> sections of {recipient.name}</span>
        </Button>
      )}
    </article>
  )
}
