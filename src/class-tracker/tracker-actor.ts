import { type Actor, actorOf } from '../web/audit.ts'
import { forbidden } from '../web/refusal.ts'
import type { SiteContext } from '../web/site.ts'

/** Who changes something in the tracker. Routes say who it is; each operation decides on its first line whether they may. */
export interface TrackerActor {
  role: 'superuser' | 'visitor'
  /** As whom the audit knows them. */
  audit: Actor
}

/** The person behind the request. */
export function trackerActorOf(c: SiteContext): TrackerActor {
  return { role: c.get('user')?.is_superuser ? 'superuser' : 'visitor', audit: actorOf(c) }
}

/** The tracker is for superusers alone. @throws forbidden */
export function refuseUnlessSuperuser({ role }: TrackerActor): void {
  if (role !== 'superuser') throw forbidden('This page is for staff.')
}
