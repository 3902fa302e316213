import { createElement, type ComponentType } from 'react'
import { hydrateRoot } from 'react-dom/client'
import type { PageData } from '../src/web/contract.ts'
import { callAs } from './api.ts'
import { IslandBoundary } from './components/island-boundary.tsx'
import { islands, type IslandName, type IslandProps } from './islands/index.ts'
import { countUnread } from './unread-badge.ts'

function isIsland(name: string | undefined): name is IslandName {
  return name !== undefined && Object.hasOwn(islands, name)
}

/** The island's chunk did not load (offline, or a newer version was deployed): the page stays readable and says so. */
function showLoadFailure(root: HTMLElement): void {
  const message = document.createElement('p')
  message.className = 'error-summary'
  message.setAttribute('role', 'alert')
  message.textContent = 'Part of this page did not load, so its buttons will not work. Reload the page to try again.'
  root.before(message)
}

async function hydrate(root: HTMLElement, data: PageData<never>): Promise<void> {
  const name = root.dataset['island']
  if (!isIsland(name)) return
  const { Island } = await islands[name]()
  const component: ComponentType<IslandProps<never>> = Island
  const island = createElement(component, { props: data.props, context: data.context })
  hydrateRoot(root, createElement(IslandBoundary, null, island), { identifierPrefix: root.id })
}

const typed = 'input, textarea, select, dialog, [contenteditable], [popover]'

/** The key `/` moves the focus to the page's search, unless someone is typing or a dialog is open. */
function listenForSearchKey(): void {
  document.addEventListener('keydown', (event) => {
    if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey) return
    if (event.target instanceof Element && event.target.closest(typed)) return
    const search = document.querySelector<HTMLInputElement>('main input[type="search"]')
    if (search === null || document.querySelector('dialog:modal')) return
    event.preventDefault()
    search.focus()
  })
}

const written = document.getElementById('page-data')?.textContent
if (written) {
  const data: PageData<never> = JSON.parse(written)
  callAs(data.context)
  for (const root of document.querySelectorAll<HTMLElement>('[data-island]')) {
    hydrate(root, data).catch(() => showLoadFailure(root))
  }
  countUnread()
}
listenForSearchKey()
