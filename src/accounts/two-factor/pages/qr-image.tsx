import { qrCode } from '../qr/qr-code.ts'

/** Modules of white around the symbol, without which many cameras do not find it. */
const quiet = 4

/** A text as a QR code, black on white in any colour scheme. */
export function QrImage({ text, label }: { text: string; label: string }) {
  const symbol = qrCode(text)
  const side = symbol.size + 2 * quiet
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
      <path d={outline(symbol)} fill="#000" />
    </svg>
  )
}

/** One bar for each run of black modules in a row. */
function outline(symbol: ReturnType<typeof qrCode>): string {
  const { size } = symbol
  const bars: string[] = []
  for (let y = 0; y < size; y += 1) {
    for (let x = 0; x < size; x += 1) {
      const start = x
      while (x < size && symbol.isBlack(x, y)) x += 1
      if (x > start) bars.push(`M${start + quiet} ${y + quiet}h${x - start}v1h-${x - start}z`)
    }
  }
  return bars.join('')
}
