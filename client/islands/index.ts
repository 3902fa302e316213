import type { ComponentType } from 'react'
import type { PageContext } from '../../src/web/contract.ts'

/** What an island receives: the page's own props (all of `page-data.props`) and its context. Nothing is sent twice. */
export interface IslandProps<Props> {
  props: Props
  context: PageContext
}

/** An island's module. Its props are checked where the page is rendered; here they come from `page-data`. */
interface IslandModule {
  Island: ComponentType<IslandProps<never>>
}

/** Every island by the name in its `data-island`: each is a chunk of its own, loaded if a page contains it. */
export const islands = {
  'class-tracker/add-classes': (): Promise<IslandModule> => import('./class-tracker/add-classes.tsx'),
  'class-tracker/class-alerts': (): Promise<IslandModule> => import('./class-tracker/class-alerts.tsx'),
  'class-tracker/manage-course-list': (): Promise<IslandModule> => import('./class-tracker/manage-course-list.tsx'),
  'classcords/welcome': (): Promise<IslandModule> => import('./classcords/welcome.tsx'),
  'classcords/explore': (): Promise<IslandModule> => import('./classcords/explore.tsx'),
  'classcords/server': (): Promise<IslandModule> => import('./classcords/server.tsx'),
  'classcords/login': (): Promise<IslandModule> => import('./classcords/login.tsx'),
  'classcords/profile': (): Promise<IslandModule> => import('./classcords/profile.tsx'),
  'classcords/referrals': (): Promise<IslandModule> => import('./classcords/referrals.tsx'),
  'classcords/unapproved-invites': (): Promise<IslandModule> => import('./classcords/unapproved-invites.tsx'),
  'classcords/notices': (): Promise<IslandModule> => import('./classcords/notices.tsx'),
  'scheduler/queues': (): Promise<IslandModule> => import('./scheduler/queues.tsx'),
  'scheduler/job-list': (): Promise<IslandModule> => import('./scheduler/job-list.tsx'),
  'scheduler/workers': (): Promise<IslandModule> => import('./scheduler/workers.tsx'),
  'scheduler/worker': (): Promise<IslandModule> => import('./scheduler/worker.tsx'),
  'scheduler/job': (): Promise<IslandModule> => import('./scheduler/job.tsx'),
  'scheduler/audit': (): Promise<IslandModule> => import('./scheduler/audit.tsx'),
}

export type IslandName = keyof typeof islands
