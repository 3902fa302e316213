/** The recorded sections have at most 5 meetings and 5 instructors. */
const MAX_ENTRIES = 100

/** The first entries of a section's list, because every person may be paired with every meeting. */
export function few(list: readonly unknown[]): readonly unknown[] {
  return list.length > MAX_ENTRIES ? list.slice(0, MAX_ENTRIES) : list
}
