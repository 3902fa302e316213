/** Texts remembered at most: what a school writes could be anything, and is forgotten again. */
const MAX_REMEMBERED = 5000
/** A longer text is no name, room or hour, and not worth its memory. */
const MAX_LENGTH = 500

/** Keeps what `make` makes of a text, because schools write the same few over and over. */
export function remembered<Value extends {}>(make: (text: string) => Value): (text: string) => Value {
  const values = new Map<string, Value>()
  return (text) => {
    const known = values.get(text)
    if (known !== undefined) return known
    if (text.length > MAX_LENGTH) return make(text)
    if (values.size >= MAX_REMEMBERED) values.clear()
    const own = ownCopy(text)
    const value = make(own)
    values.set(own, value)
    return value
  }
}

/** A text cut out of a page keeps the whole page in memory for as long as it is remembered; its copy does not. */
const ownCopy = (text: string): string => ` ${text}`.slice(1)
