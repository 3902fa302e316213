/** The logo: an empty seat. The dot, in the place of a head, marks the seat as free. */
export function BrandMark({ size = 26 }: { size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 24 24" aria-hidden="true">
      <path
        d="M6.9 3.2 8.1 13h7.7a2.2 2.2 0 0 1 2.2 1.9l.8 5.9M8.1 13l-1.2 7.8"
        fill="none"
        stroke="currentColor"
        strokeWidth="2.2"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
      <circle className="brand-seat" cx="14.6" cy="7.1" r="3.1" />
    </svg>
  )
}
