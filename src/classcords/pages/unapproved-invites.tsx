import { Island } from '../../web/island.tsx'
import type { PageContext } from '../../web/contract.ts'
import type { UnapprovedInvitesProps } from '../contract.ts'

/** What waits for a manager's decision. */
export function UnapprovedInvitesPage({ props, context }: { props: UnapprovedInvitesProps; context: PageContext }) {
  return <Island name="classcords/unapproved-invites" props={props} context={context} />
}
