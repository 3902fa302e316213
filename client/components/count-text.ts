/** "1,234,567": the same on server and browser, whatever their languages. */
export const countText = (count: number): string => String(count).replace(/\B(?=(\d{3})+$)/g, ',')
