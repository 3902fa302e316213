/** Distance between two rows of seats, and from the stage to the first. */
const rows = [111, 139, 167, 195, 223, 251, 279, 307]
const hues = [25, 60, 110, 165, 210, 250, 300, 345]

/** A lecture hall from above, with one seat free. Decoration. */
export function Hall() {
  return (
    <svg className="hall" viewBox="0 0 640 331" aria-hidden="true">
      <defs>
        <linearGradient id="hall-hues" gradientUnits="userSpaceOnUse" x1="0" x2="640" y1="0" y2="0">
          {hues.map((hue, index) => (
            <stop key={hue} className={`hue-${index + 1}`} offset={index / (hues.length - 1)} />
          ))}
        </linearGradient>
        <mask id="hall-aisles">
          <rect width="640" height="331" fill="#fff" />
          <path d="m320 331-170-330M320 331l170-330" stroke="#000" strokeWidth="26" />
          <circle cx="281" cy="55" r="16" fill="#000" />
        </mask>
      </defs>
      <g
        fill="none"
        stroke="url(#hall-hues)"
        strokeWidth="12"
        strokeLinecap="round"
        strokeDasharray="7 20"
        mask="url(#hall-aisles)"
      >
        {rows.map((radius) => (
          <circle key={radius} cx="320" cy="331" r={radius} />
        ))}
      </g>
      <circle className="brand-seat" cx="281" cy="55" r="9" />
    </svg>
  )
}
