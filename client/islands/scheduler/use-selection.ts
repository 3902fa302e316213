import { useRef, useState } from 'react'

/** The selected names after those in a range (in the order shown, both ends included) were switched on or off. */
export function selectionAfter(
  before: ReadonlySet<string>,
  names: readonly string[],
  { from, to, isOn }: { from: string; to: string; isOn: boolean },
): Set<string> {
  const start = names.indexOf(from)
  const end = names.indexOf(to)
  const range = start === -1 ? [to] : names.slice(Math.min(start, end), Math.max(start, end) + 1)
  const after = new Set(before)
  for (const name of range) {
    if (isOn) after.add(name)
    else after.delete(name)
  }
  return after
}

/** Which of the visible jobs are selected. Jobs that are no longer visible are not. */
export function useSelection(names: readonly string[]) {
  const [marked, setMarked] = useState<ReadonlySet<string>>(new Set())
  const last = useRef<string>(null)
  return {
    chosen: new Set(names.filter((name) => marked.has(name))),
    /** For a pressed checkbox; with `isRange`, all checkboxes since the last press follow it. */
    press(name: string, isOn: boolean, isRange: boolean) {
      const from = isRange ? last.current : null
      setMarked((before) => selectionAfter(before, names, { from: from ?? name, to: name, isOn }))
      last.current = name
    },
    pressAll(isOn: boolean) {
      setMarked(new Set(isOn ? names : []))
    },
  }
}
