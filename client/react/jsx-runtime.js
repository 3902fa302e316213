import * as runtime from '../../node_modules/react/jsx-runtime.js'

/* React's exports as names that are called directly: those of a CommonJS module are looked up at every call. */
export const { Fragment, jsx, jsxs } = runtime
