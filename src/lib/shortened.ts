/** The beginning of a text that is too long for its place, ending in '…', with no character cut in half. */
export function shortened(text: string, longest = 120): string {
  return text.length <= longest ? text : `${text.slice(0, longest - 1).replace(/[\uD800-\uDBFF]$/, '')}…`
}
