import { useEffect, useRef, useState } from 'react'
import { recall, remember } from '#in-browser/storage.ts'
import { verdictOf } from './review-cards.ts'

const memory = 'classcords:review-keys'
const isBoolean = (value: unknown): value is boolean => typeof value === 'boolean'
const fields = 'input:not([type=checkbox]), textarea, select, dialog, [popover]'

function isInView(element: Element): boolean {
  const { top, bottom } = element.getBoundingClientRect()
  return top < innerHeight && bottom > 0
}

/**
 * The keys `a` and `r` press the current card's buttons, so a disabled button disables its key. A card out of view is
 * scrolled into view first. The keys can be turned off, for people whose assistive tools type letters.
 */
export function useReviewKeys(currentId: number | null): { isOn: boolean; turn: (on: boolean) => void } {
  const [isOn, setOn] = useState(true)
  const current = useRef(currentId)
  useEffect(() => {
    current.current = currentId
  }, [currentId])
  useEffect(() => setOn(recall('local', memory, isBoolean) ?? true), [])

  useEffect(() => {
    if (!isOn) return
    function press(event: KeyboardEvent): void {
      const verdict = verdictOf(event)
      const heading = document.getElementById(`invite-${current.current}`)
      if (verdict === null || heading === null) return
      if (event.target instanceof Element && event.target.closest(fields)) return
      event.preventDefault()
      const card = heading.closest('article') ?? heading
      if (isInView(card)) document.getElementById(`${verdict}-${current.current}`)?.click()
      else heading.focus()
    }
    document.addEventListener('keydown', press)
    return () => document.removeEventListener('keydown', press)
  }, [isOn])

  function turn(on: boolean): void {
    setOn(on)
    remember('local', memory, on)
  }
  return { isOn, turn }
}
