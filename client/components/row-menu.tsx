import type { MouseEvent, ReactNode } from 'react'
import { Icon } from './icon.tsx'

/** More actions for a row, behind one button. It opens without a script, and on a phone from the bottom. */
export function RowMenu({ id, label, children }: { id: string; label: string; children: ReactNode }) {
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

/** Closes the menu first, so that a dialog that opens returns the focus to the menu's button. */
export const closingMenu = (act: () => void) => (event: MouseEvent<HTMLElement>) => {
  event.currentTarget.closest<HTMLElement>('[popover]')?.hidePopover()
  act()
}
