/** The most texts that are remembered, because what a school writes could be anything. */
const MAX_REMEMBERED = 5000
/** A longer text is not a name, room or hour, and not worth remembering. */
const MAX_LENGTH = 500

/** Remembers the results of `make`, because schools repeat the same few texts. */
export function memoized<Value extends {}>(make: (text: string) => Value): (text: string) => Value {
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

/** A substring of a page would keep the whole page in memory while it is remembered; a copy does not. */
const ownCopy = (text: string): string => ` ${text}`.slice(1)
