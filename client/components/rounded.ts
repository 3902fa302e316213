/** A coordinate of a drawing, with one decimal. */
export const rounded = (figure: number): number => Math.round(figure * 10) / 10
