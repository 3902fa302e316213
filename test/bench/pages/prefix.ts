/** Where the pages with nothing around them are. */
export const prefix = '/_bench/bare'
