import type { MouseEvent, ReactNode } from 'react'
import { Icon } from './icon.tsx'

interface MoreButtonProps {
  /** The id of the menu that it opens, without a script. */
  menu: string
  label: string
  onClick?: () => void
}

export function MoreButton({ menu, label, onClick }: MoreButtonProps) {
  return (
    <button
      type="button"
      className="button button-quiet button-icon row-more"
      popoverTarget={menu}
      aria-label={label}
      title={label}
      onClick={onClick}
    >
      <Icon name="more" size={20} />
    </button>
  )
}

/** More actions for a row, behind one button; on a phone they come from the bottom. */
export function RowMenu({ id, label, children }: { id: string; label: string; children: ReactNode }) {
  return (
    <>
      <MoreButton menu={id} label={label} />
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
