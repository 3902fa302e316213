/** How long typing waits before a search, ms. Clearing does not wait. */
export const SEARCH_DEBOUNCE_MS = 300
