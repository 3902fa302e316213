import { useEffect, useRef } from 'react'

/** How long a press may last before it no longer counts as a click, ms. */
const MAX_PRESS_MS = 1000

/**
 * Handles the loss of focus. From the keyboard `leave` runs at once; after a pointer press it runs only after the
 * click, because something that collapses during the press would move the button away from the pointer.
 */
export function useLeaving(isOpen: boolean, leave: () => void): () => void {
  const isPressed = useRef(false)
  useEffect(() => {
    if (!isOpen) return
    const press = () => {
      isPressed.current = true
    }
    const type = () => {
      isPressed.current = false
    }
    document.addEventListener('pointerdown', press, true)
    document.addEventListener('keydown', type, true)
    return () => {
      isPressed.current = false
      document.removeEventListener('pointerdown', press, true)
      document.removeEventListener('keydown', type, true)
    }
  }, [isOpen])

  return () => {
    if (!isPressed.current) {
      leave()
      return
    }
    const end = () => {
      clearTimeout(timer)
      window.removeEventListener('click', end)
      leave()
    }
    const timer = setTimeout(end, MAX_PRESS_MS)
    window.addEventListener('click', end)
  }
}
