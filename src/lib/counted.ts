/** "1 invite" or "3 invites"; `many` is for irregular plurals: "1 address", "2 addresses". */
export const counted = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`
