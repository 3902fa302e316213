import { requireSuperuser } from '../accounts/roles.ts'
import { type Actor, actorOf } from '../web/audit.ts'
import { forbidden } from '../web/refusal.ts'
import type { SiteContext } from '../web/site.ts'

/** Who changes something. Routes pass the actor; each operation checks on its first line whether they may. */
export interface TrackerActor {
  role: 'superuser' | 'visitor'
  /** Their name in the audit. */
  audit: Actor
}

/** The person behind the request. */
export function trackerActorOf(c: SiteContext): TrackerActor {
  return { role: c.get('user')?.is_superuser ? 'superuser' : 'visitor', audit: actorOf(c) }
}

/** Guards the staff pages and calls. */
export const staffOnly = requireSuperuser({ area: 'class_tracker' })

/** The tracker is for superusers only. @throws forbidden */
export function refuseUnlessSuperuser({ role }: TrackerActor): void {
  if (role !== 'superuser') throw forbidden('This page is for staff.')
}
