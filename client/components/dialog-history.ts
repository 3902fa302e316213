/*
 * Every open dialog has an entry in the history, so that Back closes the topmost one. Entries are added and removed once the page has
 * settled, because one dialog often makes room for another.
 */

interface OpenDialog {
  /** The address shown meanwhile; absent: the page's own. */
  address: string | undefined
  /** Asks the dialog to close; it may refuse. */
  close: () => void
}

/** What an entry of a dialog keeps: how many dialogs it stands for, in this load of the page. */
interface DialogState {
  dialogs: number
  load: number
}

const load = Math.random()
const open: OpenDialog[] = []
/** Entries of ours up to the present one. */
let entries = 0
let isMoving = false
let isWaiting = false
let isListening = false
/** The page's address without dialogs. */
let pageAddress = ''
/** Called once no entry of ours is left. */
let afterwards: (() => void) | null = null

/** Gives a dialog its entry until the returned function is called. */
export function enterHistory(dialog: OpenDialog): () => void {
  if (!isListening) addEventListener('popstate', arrive)
  isListening = true
  open.push(dialog)
  settleSoon()
  return () => {
    open.splice(open.indexOf(dialog), 1)
    settleSoon()
  }
}

/** Reloads the page without its dialogs: what they left in the history would make the next Back do nothing. */
export function reloadPage(): void {
  open.length = 0
  afterwards = () => location.reload()
  settle()
}

function entriesOf(state: unknown): number {
  const known = state as Partial<DialogState> | null
  return typeof known === 'object' && known?.load === load ? (known.dialogs ?? 0) : 0
}

/** Somebody went back or forward, or we did. */
function arrive(): void {
  const isOurs = isMoving
  isMoving = false
  // A link to a place in the page adds an entry of its own above the dialogs'.
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
 * Where the address names a place in the page, going back moves the focus there right after `popstate`. It is given back in the same
 * moment: a frame later somebody may have pressed a key, or heard all of the page begin.
 */
function keepFocus(): void {
  const { activeElement: before } = document
  if (!(before instanceof HTMLElement)) return
  const giveBack = () => {
    const { activeElement: now } = document
    const isMoved = now === null || now === document.body || now.id === location.hash.slice(1)
    if (location.hash !== '' && isMoved && before.isConnected) before.focus({ preventScroll: true })
  }
  const watch = () => {
    document.addEventListener('focusin', giveBack)
    // What cannot have the focus takes it away without an event of its own.
    requestAnimationFrame(() => {
      document.removeEventListener('focusin', giveBack)
      giveBack()
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

/** Adds the entries that are missing and leaves those that are too many. */
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
