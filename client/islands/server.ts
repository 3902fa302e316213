import type { ComponentProps, ComponentType } from 'react'
import { Island as AddClasses } from './class-tracker/add-classes.tsx'
import { Island as ClassAlerts } from './class-tracker/class-alerts.tsx'
import { Island as ManageCourseList } from './class-tracker/manage-course-list.tsx'
import { Island as Welcome } from './classcords/welcome.tsx'
import { Island as Explore } from './classcords/explore.tsx'
import { Island as Server } from './classcords/server.tsx'
import { Island as ClasscordsLogin } from './classcords/login.tsx'
import { Island as Profile } from './classcords/profile.tsx'
import { Island as Referrals } from './classcords/referrals.tsx'
import { Island as Notices } from './classcords/notices.tsx'
import { Island as UnapprovedInvites } from './classcords/unapproved-invites.tsx'
import { Island as SchedulerQueues } from './scheduler/queues.tsx'
import { Island as SchedulerJobList } from './scheduler/job-list.tsx'
import { Island as SchedulerWorkers } from './scheduler/workers.tsx'
import { Island as SchedulerWorker } from './scheduler/worker.tsx'
import { Island as SchedulerJob } from './scheduler/job.tsx'
import { Island as SchedulerAudit } from './scheduler/audit.tsx'
import type { IslandName, IslandProps } from './index.ts'

/** The same islands, imported statically, for rendering on the server. */
export const islandComponents = {
  'class-tracker/add-classes': AddClasses,
  'class-tracker/class-alerts': ClassAlerts,
  'class-tracker/manage-course-list': ManageCourseList,
  'classcords/welcome': Welcome,
  'classcords/explore': Explore,
  'classcords/server': Server,
  'classcords/login': ClasscordsLogin,
  'classcords/profile': Profile,
  'classcords/referrals': Referrals,
  'classcords/unapproved-invites': UnapprovedInvites,
  'classcords/notices': Notices,
  'scheduler/queues': SchedulerQueues,
  'scheduler/job-list': SchedulerJobList,
  'scheduler/workers': SchedulerWorkers,
  'scheduler/worker': SchedulerWorker,
  'scheduler/job': SchedulerJob,
  'scheduler/audit': SchedulerAudit,
} satisfies Record<IslandName, ComponentType<IslandProps<never>>>

/** The props of one island, by name. */
export type PropsOfIsland<Name extends IslandName> = ComponentProps<(typeof islandComponents)[Name]>['props']
