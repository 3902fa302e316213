/** What the second of two people who edit the same thing reads, after what someone else did. */
export const keepYours = 'Your values are below, each with the current one. Save again to keep yours.'

/** The error at a field that someone else changed. @param shown as pages show the value */
export const currentValue = (shown: string): string => `Current value: ${shown === '' ? 'empty' : `“${shown}”`}.`
