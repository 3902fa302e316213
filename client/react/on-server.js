import react, * as names from '../../node_modules/react/index.js'

/* What `react` is in the Worker (wrangler.toml): the names that we use are looked up once, not at every call and for every file. */
export * from '../../node_modules/react/index.js'
export const { Component, Fragment, useCallback, useId, useMemo, useReducer, useRef, useState, useSyncExternalStore } =
  names
export default react

/* Effects never run on the server. Calls of empty functions are left out of the bundle, with what is only for effects. */
export function useEffect() {}
export function useLayoutEffect() {}
