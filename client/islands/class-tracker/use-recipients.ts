import { useRef, useState } from 'react'
import type { AddWatchedSection, WatchedSection } from '../../../src/class-tracker/watches/contract.ts'
import type { AddClassesProps, Recipient } from '../../../src/class-tracker/recipients/contract.ts'
import type { PageData } from '../../../src/web/contract.ts'
import { failed, toastOf, type Toast } from '../../components/toasts.tsx'
import { useFoldAway } from '../../components/use-fold-away.ts'
import { useLiveSearch } from '../../use-live-page.ts'
import { calls } from '#in-browser/islands/class-tracker/calls.ts'
import {
  refreshed,
  type WatchQuery,
  watchQuery,
  watchSearch,
  wholeRecipients,
  withAllSections,
  withRecipient,
  withSection,
  withoutContact,
  withoutRecipient,
  withoutSection,
} from './recipients.ts'
import { sectionCode } from './section-text.ts'

const nothingLeaves: { recipientId: number; sectionId: number } = { recipientId: 0, sectionId: 0 }

/** The actions of the page. Each is done on the server first; then the list changes, and a toast says so. */
export interface RecipientActs {
  saved: (recipient: Recipient, isNew: boolean) => void
  contactRemoved: (contactId: number) => void
  sectionAdded: (recipient: Recipient, answer: AddWatchedSection) => void
  removeSection: (recipient: Recipient, section: WatchedSection) => Promise<void>
  removeRecipient: (recipient: Recipient) => Promise<void>
  /** Loads everything watched for a recipient; says so if it fails. */
  showAll: (recipientId: number) => Promise<void>
}

type RecipientsPage = Omit<AddClassesProps, 'recipients'> & { recipients: Recipient[] }

/** The recipients of the page, kept up to date with the server and changed by the actions here. */
export function useRecipients(props: AddClassesProps, say: (toast: Toast) => void) {
  const [page, setPage] = useState<RecipientsPage>(() => ({ ...props, recipients: wholeRecipients(props.recipients) }))
  /** The row that is being removed. */
  const [leaving, setLeaving] = useState(nothingLeaves)
  const foldAway = useFoldAway()
  /** Recipients whose sections are all shown. */
  const whole = useRef(new Set<number>())

  function take({ props: fresh, context }: PageData<AddClassesProps>): void {
    setPage((shown) => ({
      ...fresh,
      recipients: refreshed(shown.recipients, wholeRecipients(fresh.recipients), whole.current),
    }))
    for (const id of whole.current) void loadAllSections(id).catch(() => undefined)
    for (const message of context.messages) say(toastOf(message))
  }
  const { countChange, changeCount, refresh, ...live } = useLiveSearch<AddClassesProps, WatchQuery>({
    initial: watchQuery(props),
    addressOf: watchSearch,
    onPage: take,
  })

  function change(to: (shown: readonly Recipient[]) => Recipient[]): void {
    countChange()
    setPage((shown) => ({ ...shown, recipients: to(shown.recipients) }))
    // The totals above the list come from the server; a failed refresh is repeated and reports its own errors.
    refresh().catch(() => undefined)
  }

  async function loadAllSections(recipientId: number): Promise<void> {
    const before = changeCount()
    const { watched_sections: all } = await calls.getWatchedSections(recipientId)
    if (before !== changeCount()) return
    setPage((shown) => ({ ...shown, recipients: withAllSections(shown.recipients, recipientId, all) }))
  }

  async function watchAgain(recipientId: number, section: WatchedSection): Promise<void> {
    try {
      const { added_section: added } = await calls.addWatchedSection(recipientId, section.id)
      change((shown) => withSection(shown, recipientId, added))
      say({ tone: 'success', text: `${sectionCode(section)} is watched again.` })
    } catch (error) {
      say(failed(error))
    }
  }

  const acts: RecipientActs = {
    saved(recipient, isNew) {
      change((shown) => withRecipient(shown, recipient))
      say({ tone: 'success', text: isNew ? `${recipient.name} was added.` : `${recipient.name} was saved.` })
    },
    contactRemoved: (contactId) => change((shown) => withoutContact(shown, contactId)),
    sectionAdded(recipient, { added_section: added, warnings }) {
      change((shown) => withSection(shown, recipient.id, added))
      say({ tone: 'success', text: `${sectionCode(added)} is now watched for ${recipient.name}.` })
      for (const warning of warnings) say({ tone: 'warning', text: warning })
    },
    async removeSection(recipient, section) {
      await calls.removeWatchedSection(recipient.id, section.id)
      countChange()
      setLeaving({ recipientId: recipient.id, sectionId: section.id })
      foldAway(() => {
        change((shown) => withoutSection(shown, recipient.id, section.id))
        document.getElementById(`recipient-${recipient.id}`)?.focus({ preventScroll: true })
        setLeaving(nothingLeaves)
      })
      const undo = () => watchAgain(recipient.id, section)
      say({ tone: 'success', text: `${sectionCode(section)} is no longer watched for ${recipient.name}.`, undo })
    },
    async removeRecipient(recipient) {
      await calls.removeRecipient(recipient.id)
      change((shown) => withoutRecipient(shown, recipient.id))
      say({ tone: 'success', text: `${recipient.name} was removed.` })
    },
    async showAll(recipientId) {
      try {
        await loadAllSections(recipientId)
        whole.current.add(recipientId)
      } catch (error) {
        say(failed(error))
      }
    },
  }
  return { page, leaving, acts, ...live }
}
