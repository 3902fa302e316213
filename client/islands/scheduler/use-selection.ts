import { useRef, useState } from 'react'
import { selectionAfter } from './selection.ts'

interface Selection {
  chosen: ReadonlySet<string>
  /** One box was pressed; with `isRange` all boxes from the one pressed before follow it. */
  press: (name: string, isOn: boolean, isRange: boolean) => void
  pressAll: (isOn: boolean) => void
}

/** Which of the shown jobs are chosen. Jobs that are not shown any more are not. */
export function useSelection(names: readonly string[]): Selection {
  const [marked, setMarked] = useState<ReadonlySet<string>>(new Set())
  const last = useRef<string>(null)
  return {
    chosen: new Set(names.filter((name) => marked.has(name))),
    press(name, isOn, isRange) {
      const from = isRange ? last.current : null
      setMarked((before) => selectionAfter(before, names, { from: from ?? name, to: name, isOn }))
      last.current = name
    },
    pressAll(isOn) {
      setMarked(new Set(isOn ? names : []))
    },
  }
}
