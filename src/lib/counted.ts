/** "1 invite" or "3 invites"; with `many` what does not just take an s: "1 address", "2 addresses". */
export const counted = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`
