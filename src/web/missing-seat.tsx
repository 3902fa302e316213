/** Rows of a lecture hall with one seat missing. Decorative. */
export function MissingSeat() {
  return (
    <svg className="missing-seat" width="232" height="84" viewBox="0 -8 232 84" aria-hidden="true">
      <g fill="none" strokeWidth="13" strokeLinecap="round" strokeDasharray=".4 .6">
        <path pathLength="7.4" d="M8 37A182 182 0 0 1 224 37" />
        <path pathLength="6.4" d="M24 66A152 152 0 0 1 208 66" />
      </g>
      <circle cx="116" cy="35" r="17" />
      <circle className="missing" cx="116" cy="35" r="10" fill="none" strokeWidth="2" strokeDasharray="4 4" />
    </svg>
  )
}
