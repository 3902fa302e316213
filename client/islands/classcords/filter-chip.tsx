import { Icon } from '../../components/icon.tsx'

interface FilterChipProps {
  /** What it filters by, or how. */
  name: string
  /** What was chosen; the chip then takes it back. */
  chosen?: string | undefined
  onDrop: () => void
}

/** A filter on a phone, where the filters themselves are a sheet: opens the sheet, or takes back what was chosen. */
export function FilterChip({ name, chosen, onDrop }: FilterChipProps) {
  // Two buttons: one that became the other while it is pressed would open the sheet, too.
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
            // A keyboard stays where it was.
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
