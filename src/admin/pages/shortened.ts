const MAX_CELL_LENGTH = 120

/** The beginning of a text that is too long for its place, with no character cut in half. */
export function shortened(text: string, longest = MAX_CELL_LENGTH): string {
  return text.length <= longest ? text : `${text.slice(0, longest - 1).replace(/[\uD800-\uDBFF]$/, '')}…`
}
