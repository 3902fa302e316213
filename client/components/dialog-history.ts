/* Every open dialog has an entry in the browser's history, so that Back closes the topmost one. Entries are added
   and removed after the page has settled, because one dialog often replaces another. */

interface OpenDialog {
  /** The address shown while it is open; absent: the page's own. */
  address: string | undefined
  /** Asks the dialog to close; it may refuse. */
  close: () => void
}

/** The state of a dialog's history entry: how many dialogs it counts, in this load of the page. */
interface DialogState {
  dialogs: number
  /** `performance.timeOrigin`, by which a search knows that the current entry is a dialog's. */
  load: number
}

const load = performance.timeOrigin
const open: OpenDialog[] = []
/** The number of our entries up to the current one. */
let entries = 0
let isMoving = false
let isWaiting = false
let isListening = false
/** The page's address without dialogs. */
let pageAddress = ''
/** Called once none of our entries is left. */
let afterwards: (() => void) | null = null

/** Adds an entry for a dialog until the returned function is called. */
export function enterHistory(dialog: OpenDialog): () => void {
  if (!isListening) addEventListener('popstate', handlePopState)
  isListening = true
  open.push(dialog)
  settleSoon()
  return () => {
    open.splice(open.indexOf(dialog), 1)
    settleSoon()
  }
}

/** Reloads the page without its dialogs: entries that they left behind would make the next Back do nothing. */
export function reloadPage(): void {
  open.length = 0
  afterwards = () => location.reload()
  settle()
}

function entriesOf(state: unknown): number {
  const known = state as Partial<DialogState> | null
  return typeof known === 'object' && known?.load === load ? (known.dialogs ?? 0) : 0
}

/** The user went back or forward, or this module did. */
function handlePopState(): void {
  const isOurs = isMoving
  isMoving = false
  // A link to an anchor in the page adds its own entry above those of dialogs.
  if (!isOurs && history.state === null && location.hash !== '' && location.href !== pageAddress && entries > 0) {
    history.replaceState({ dialogs: entries, load } satisfies DialogState, '')
    return
  }
  entries = entriesOf(history.state)
  if (isOurs) {
    settle()
    return
  }
  for (const dialog of open.slice(entries).toReversed()) dialog.close()
  settleSoon()
}

/**
 * If the address names an anchor in the page, going back moves the focus there right after `popstate`. The focus is put
 * back immediately: a frame later someone may have pressed a key, or a screen reader may have started on the whole
 * page.
 */
function keepFocus(): void {
  const { activeElement: before } = document
  if (!(before instanceof HTMLElement)) return
  const restore = () => {
    const { activeElement: now } = document
    const isMoved = now === null || now === document.body || now.id === location.hash.slice(1)
    if (location.hash !== '' && isMoved && before.isConnected) before.focus({ preventScroll: true })
  }
  const watch = () => {
    document.addEventListener('focusin', restore)
    // Focusing an element that cannot have the focus removes it without an event.
    requestAnimationFrame(() => {
      document.removeEventListener('focusin', restore)
      restore()
    })
  }
  addEventListener('popstate', watch, { once: true })
}

function settleSoon(): void {
  if (isWaiting) return
  isWaiting = true
  setTimeout(() => {
    isWaiting = false
    settle()
  }, 0)
}

/** Adds missing entries and leaves surplus ones. */
function settle(): void {
  if (isMoving) return
  if (entries > open.length) {
    isMoving = true
    keepFocus()
    history.go(open.length - entries)
    return
  }
  if (entries === 0) pageAddress = location.href
  for (const { address } of open.slice(entries)) {
    entries += 1
    history.pushState({ dialogs: entries, load } satisfies DialogState, '', address)
  }
  const then = afterwards
  afterwards = null
  then?.()
}
