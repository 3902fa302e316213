import { Island } from '../../web/island.tsx'
import type { PageContext } from '../../web/contract.ts'
import type { ReferralsProps } from '../contract.ts'

/** One's own referrals, and a form for a new one. */
export function ReferralsPage({ props, context }: { props: ReferralsProps; context: PageContext }) {
  return <Island name="classcords/referrals" props={props} context={context} />
}
