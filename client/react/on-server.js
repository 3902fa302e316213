import react, * as names from '../../node_modules/react/index.js'

/* What `react` is in the Worker (wrangler.toml): the names that we use are looked up once, not at every call and for every file. */
export * from '../../node_modules/react/index.js'
export const { Component, Fragment, useId, useMemo, useReducer, useRef, useState, useSyncExternalStore } = names
export default react

/* On the server no effect runs, and nothing calls the functions that are kept for events. Calls of empty functions are
   left out of the bundle, with what only they need. */
export function useCallback() {}
export function useEffect() {}
export function useLayoutEffect() {}
