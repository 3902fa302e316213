import * as react from 'react'

/** What islands use of React, as names that are called directly: the build replaces `react` with this file. */
export const {
  Component,
  createElement,
  useCallback,
  useDeferredValue,
  useEffect,
  useId,
  useLayoutEffect,
  useMemo,
  useReducer,
  useRef,
  useState,
  useSyncExternalStore,
} = react
