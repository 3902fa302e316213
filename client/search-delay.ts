/** How long typing waits before a search, ms. Clearing one does not wait. */
export const SEARCH_DEBOUNCE_MS = 300
