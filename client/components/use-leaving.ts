import { useEffect, useRef } from 'react'

/** How long a press may last before it counts as no click, ms. */
const MAX_PRESS_MS = 1000

/**
 * What to do when the focus has gone. From the keyboard `leave` runs at once; after the press of a pointer only when it has
 * become a click: what folds away under a pressed pointer moves the button that was meant from under it.
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
