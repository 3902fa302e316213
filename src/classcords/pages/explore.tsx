import { Island } from '../../web/island.tsx'
import type { PageContext } from '../../web/contract.ts'
import type { ExploreAllListingsProps } from '../contract.ts'

/** Every server this person may see, searched and paged. */
export function ExplorePage({ props, context }: { props: ExploreAllListingsProps; context: PageContext }) {
  return <Island name="classcords/explore" props={props} context={context} />
}
