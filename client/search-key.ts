const typed = 'input, textarea, select, dialog, [contenteditable], [popover]'

/** The key `/` moves the focus to the page's search, unless someone is typing or a dialog is open. */
export function listenForSearchKey(): void {
  document.addEventListener('keydown', (event) => {
    if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey) return
    if (event.target instanceof Element && event.target.closest(typed)) return
    const search = document.querySelector<HTMLInputElement>('main input[type="search"]')
    if (search === null || document.querySelector('dialog:modal')) return
    event.preventDefault()
    search.focus()
  })
}
