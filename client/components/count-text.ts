/** "1,234,567": the same on the server and in every browser, regardless of language. */
export const countText = (count: number): string => String(count).replace(/\B(?=(\d{3})+$)/g, ',')
