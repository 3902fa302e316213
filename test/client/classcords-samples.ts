import type {
  Course,
  DiscordServer,
  Invite,
  PendingInvite,
  Referral,
  Submission,
} from '../../src/classcords/contract.ts'
import type { DiscordUser, PageContext } from '../../src/web/contract.ts'
import { observedAt, pageContext } from './samples.ts'

const publicLevel = { value: 'public' as const, label: 'Public Server' }
export const privateLevel = { value: 'private' as const, label: 'Private Server' }
const regular = { value: 'regular', label: 'Regular User' }
export const manager = { value: 'manager', label: 'Discord Manager' }

export function course(changes: Partial<Course> = {}): Course {
  return { id: 1, code: 'MATH', level: '2210', title: 'Calculus', subject: 'Mathematics', ...changes }
}

export function server(changes: Partial<DiscordServer> = {}): DiscordServer {
  return {
    id: 1,
    server_id: '900',
    name: 'Calculus Crew',
    display_name: 'Calculus Crew',
    custom_title: '',
    description: 'Homework and exams.',
    icon_url: null,
    member_count: 1234,
    presence: null,
    privacy_level_info: publicLevel,
    is_active: true,
    is_required_for_trust: false,
    is_general_server: false,
    schools: [{ id: 1, name: 'Baruch College' }],
    subjects: [{ id: 1, name: 'Mathematics' }],
    courses: [course()],
    instructors: [],
    datetime_created: observedAt,
    ...changes,
  }
}

export function invite(changes: Partial<Invite> = {}): Invite {
  return {
    id: 1,
    invite_url: 'https://discord.gg/calculus',
    notes_md: '',
    notes_html: '',
    expires_at: null,
    uses_count: 3,
    is_valid: true,
    is_unlimited: true,
    ...changes,
  }
}

export function pendingInvite(changes: Partial<PendingInvite> = {}): PendingInvite {
  return {
    id: 1,
    invite_url: 'https://discord.gg/physics',
    notes_md: '',
    is_valid: true,
    uses_count: 0,
    is_unlimited: true,
    expires_at: null,
    datetime_created: observedAt,
    discord_server: { display_name: 'Physics', icon_url: null, privacy_level_info: privateLevel, is_active: true },
    members: { total: 214, online: 31 },
    submitter: { display_name: 'Sam', role_info: regular, approved: 4, rejected: 0 },
    is_new_server: true,
    changes_privacy: false,
    private_to: [],
    other_servers: [],
    school: { id: 1, name: 'Baruch College' },
    subject: null,
    courses: [],
    instructors: [],
    ...changes,
  }
}

export function referral(changes: Partial<Referral> = {}): Referral {
  return {
    id: 1,
    url: 'https://classcords.example/classcords/referral/code/',
    num_uses: 0,
    max_uses: 20,
    is_valid: true,
    is_expired: false,
    datetime_created: observedAt,
    expiry_timeframe: '1w',
    datetime_expires: observedAt,
    can_revoke: true,
    ...changes,
  }
}

export function submission(changes: Partial<Submission> = {}): Submission {
  return {
    id: 1,
    invite_url: 'https://discord.gg/physics',
    notes_md: '',
    state: 'pending',
    is_valid: true,
    queue_position: 2,
    reason: '',
    can_resubmit: false,
    datetime_created: observedAt,
    discord_server: pendingInvite().discord_server,
    school: null,
    subject: null,
    courses: [],
    instructors: [],
    ...changes,
  }
}

export function discordUser(changes: Partial<DiscordUser> = {}): DiscordUser {
  return {
    id: 1,
    discord_id: '80351110224678912',
    username: 'maya',
    discriminator: '0',
    display_name: 'Maya',
    avatar_url: '',
    is_verified: true,
    login_count: 12,
    first_login: observedAt,
    last_login: observedAt,
    role_info: regular,
    school: { id: 1, name: 'Baruch College' },
    ...changes,
  }
}

/** The context of a visitor (null), or of a person with this Discord account. */
export function directoryContext(user: DiscordUser | null | 'no Discord account'): PageContext {
  const isAuthenticated = user !== null
  const discordUser = user === 'no Discord account' ? null : user
  return pageContext({
    path: '/classcords/',
    user: {
      is_authenticated: isAuthenticated,
      is_superuser: false,
      name: isAuthenticated ? 'Maya' : '',
      discord_user: discordUser,
    },
  })
}
