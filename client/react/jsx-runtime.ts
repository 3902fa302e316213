import * as runtime from 'react/jsx-runtime'

/** React's own, as names that are called directly: those of a CommonJS module are looked up again at every call. */
export const { Fragment, jsx, jsxs } = runtime
