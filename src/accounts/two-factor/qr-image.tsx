import { encode } from 'uqr'

/** Modules of white around the symbol, without which many cameras do not find it. */
const QUIET_ZONE = 4

/** A text as a QR code of level M, black on white in any color scheme. @throws when it is too long for one */
export function QrImage({ text, label }: { text: string; label: string }) {
  const { size: side, data: rows } = encode(text, { ecc: 'M', boostEcc: false, border: QUIET_ZONE })
  return (
    <svg
      width="232"
      height="232"
      viewBox={`0 0 ${side} ${side}`}
      role="img"
      aria-label={label}
      shapeRendering="crispEdges"
    >
      <rect width={side} height={side} fill="#fff" />
      <path d={rows.map(barsOf).join('')} fill="#000" />
    </svg>
  )
}

/** One bar for each run of black modules in a row. */
function barsOf(row: readonly boolean[], y: number): string {
  const bars: string[] = []
  for (let x = 0; x < row.length; x += 1) {
    const start = x
    while (row[x]) x += 1
    if (x > start) bars.push(`M${start} ${y}h${x - start}v1h-${x - start}z`)
  }
  return bars.join('')
}
