import type { Recipient } from '../../../src/class-tracker/recipients/contract.ts'
import type { WatchedSection } from '../../../src/class-tracker/watches/contract.ts'
import { closingMenu } from '../../components/row-menu.tsx'
import type { OpenDialog } from './recipient-dialogs.tsx'
import { alertsHref } from './section-text.ts'
import { SECTION_MENU } from './watched-row.tsx'

export interface ChosenRow {
  recipient: Recipient
  section: WatchedSection
  /** Whether the row is about the section as such, and not about one recipient's watch. */
  isForAll: boolean
}

/** The actions for a section: one menu shared by all rows, about the row that was opened last. */
export function SectionMenu({ chosen, onOpen }: { chosen: ChosenRow | null; onOpen: (dialog: OpenDialog) => void }) {
  return (
    <div id={SECTION_MENU} className="menu row-menu" popover="auto">
      {chosen && <Items {...chosen} onOpen={onOpen} />}
    </div>
  )
}

function Items({ recipient, section, isForAll, onOpen }: ChosenRow & { onOpen: (dialog: OpenDialog) => void }) {
  return (
    <>
      <button type="button" onClick={closingMenu(() => onOpen({ dialog: 'details', recipient, section }))}>
        Details
      </button>
      <a href={alertsHref(section)}>Alerts</a>
      {section.link && (
        <a href={section.link} target="_blank" rel="noreferrer">
          View on school site
        </a>
      )}
      <a href={`/admin/sections/${section.id}/`}>Section in Admin</a>
      {!isForAll && (
        <button
          type="button"
          className="menu-danger"
          onClick={closingMenu(() => onOpen({ dialog: 'remove-section', recipient, section }))}
        >
          Stop watching
        </button>
      )}
    </>
  )
}
