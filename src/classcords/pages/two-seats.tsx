import { hueOf, initialOf } from '../../../client/components/hue.ts'
import { BrandMark } from '../../../client/components/brand-mark.tsx'

/** Two seats that face each other: one taken by the person who invites, one free. Decoration. */
export function TwoSeats({ name }: { name: string }) {
  return (
    <div className="two-seats" aria-hidden="true">
      <span className="seat-of">
        <BrandMark size={112} />
        <span className={`initial ${hueOf(name)}`}>{initialOf(name)}</span>
      </span>
      <BrandMark size={112} />
    </div>
  )
}
