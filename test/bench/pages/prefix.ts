/** The path prefix of the bare pages. */
export const prefix = '/_bench/bare'
