const longestCell = 120

/** The beginning of a text that is too long for its place, with no character cut in half. */
export function shortened(text: string, longest = longestCell): string {
  return text.length <= longest ? text : `${text.slice(0, longest - 1).replace(/[\uD800-\uDBFF]$/, '')}…`
}
