import type { Grid } from './grid.ts'

/** How hard a symbol would be to read, by the four rules of ISO/IEC 18004 §7.8.3. */
export function penaltyOf(grid: Grid): number {
  const lines = Array.from({ length: grid.size }, (_, n) => n)
  const rows = lines.map((y) => lines.map((x) => (grid.isBlack(x, y) ? '1' : '0')).join(''))
  const columns = lines.map((x) => lines.map((y) => (grid.isBlack(x, y) ? '1' : '0')).join(''))
  const black = rows.join('').replaceAll('0', '').length
  const share = Math.floor(Math.abs((black * 20) / grid.size ** 2 - 10)) * 10
  return [...rows, ...columns].reduce((sum, line) => sum + runs(line) + finderLike(line), 0) + squares(grid) + share
}

/** Runs of five or more of one colour. */
function runs(line: string): number {
  return (line.match(/0{5,}|1{5,}/g) ?? []).reduce((sum, run) => sum + run.length - 2, 0)
}

/** What looks like a finder pattern with light beside it. */
function finderLike(line: string): number {
  return 40 * (line.match(/(?=10111010000|00001011101)/g) ?? []).length
}

/** Squares of two by two in one colour. */
function squares(grid: Grid): number {
  let count = 0
  for (let y = 1; y < grid.size; y += 1)
    for (let x = 1; x < grid.size; x += 1) {
      const colour = grid.isBlack(x, y)
      if ([grid.isBlack(x - 1, y), grid.isBlack(x, y - 1), grid.isBlack(x - 1, y - 1)].every((one) => one === colour))
        count += 1
    }
  return count * 3
}
