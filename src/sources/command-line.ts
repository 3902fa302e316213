/** Exit codes for a believed answer, an answer that is not believed, and wrong usage. */
export const EXIT = { believed: 0, wrongUse: 2, unknown: 3 } as const

/** Wrong usage; the message says why and is followed by the usage. */
export class UsageError extends Error {}

const MAX_WIDTH = 60

/**
 * Rows as columns of text; the first row has the titles. Cells longer than 60 characters push the following ones to the
 * right.
 */
export function tableOf(rows: readonly (readonly string[])[]): string {
  const [titles = []] = rows
  const widths = titles.map((_, column) =>
    Math.min(MAX_WIDTH, Math.max(...rows.map((row) => row[column]?.length ?? 0))),
  )
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}
