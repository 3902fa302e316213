import { Icon } from '../../components/icon.tsx'

interface PhoneFilterProps {
  name: string
  /** The selected value; if there is one, the chip removes it. */
  chosen?: string | undefined
  onDrop: () => void
}

/** A filter on a phone, where the filters themselves are in a sheet: opens the sheet, or removes the selected value. */
export function PhoneFilter({ name, chosen, onDrop }: PhoneFilterProps) {
  // Two separate buttons: one that turned into the other during a press would also open the sheet.
  return (
    <li>
      {chosen === undefined ? (
        <button key="open" type="button" className="chip" popoverTarget="filters">
          <bdi>{name}</bdi>
          <Icon name="down" size={16} />
        </button>
      ) : (
        <button
          key="drop"
          type="button"
          className="chip chip-on"
          onClick={({ currentTarget: { parentElement: place } }) => {
            onDrop()
            // Keyboard users keep their place.
            requestAnimationFrame(() => place?.querySelector('button')?.focus())
          }}
        >
          <span className="hidden-visually">Remove filter </span>
          <bdi>{chosen}</bdi>
          <Icon name="close" size={16} />
        </button>
      )}
    </li>
  )
}
