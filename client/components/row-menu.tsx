import type { MouseEvent, ReactNode } from 'react'
import { Icon } from './icon.tsx'

interface RowMenuProps {
  /** Of the menu, unique on the page. */
  id: string
  /** What its button says: "More for Robin Example". */
  label: string
  /** Links and buttons. */
  children: ReactNode
}

/** What else there is to do with a row, behind one button. It opens without a script, and on a phone from below. */
export function RowMenu({ id, label, children }: RowMenuProps) {
  return (
    <>
      <button
        type="button"
        className="button button-quiet button-icon row-more"
        popoverTarget={id}
        aria-label={label}
        title={label}
      >
        <Icon name="more" size={20} />
      </button>
      <div id={id} className="menu row-menu" popover="auto">
        {children}
      </div>
    </>
  )
}

/** Closes the menu first, so that a dialog which opens gives the focus back to the menu's button. */
export const closingMenu = (act: () => void) => (event: MouseEvent<HTMLElement>) => {
  event.currentTarget.closest<HTMLElement>('[popover]')?.hidePopover()
  act()
}
