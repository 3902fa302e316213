const marks = /\p{Diacritic}/gu

/** Text for comparison: without case and accents. */
export function plainText(text: string): string {
  return text.normalize('NFD').replace(marks, '').toLowerCase()
}

interface Narrowed<Option> {
  shown: Option[]
  /** How many match in total. */
  count: number
}

/**
 * The options that contain every word of the query, those that begin with it first, otherwise in their original order;
 * at most `limit`. `texts` are the options' plain texts, in the same order.
 */
export function narrow<Option>(
  options: readonly Option[],
  texts: readonly string[],
  query: string,
  limit: number,
): Narrowed<Option> {
  const whole = plainText(query.trim())
  const words = whole.split(/\s+/).filter((word) => word !== '')
  const first: Option[] = []
  const rest: Option[] = []
  options.forEach((option, index) => {
    const text = texts[index] ?? ''
    if (!words.every((word) => text.includes(word))) return
    if (whole !== '' && text.startsWith(whole)) first.push(option)
    else rest.push(option)
  })
  return { shown: [...first, ...rest].slice(0, limit), count: first.length + rest.length }
}
