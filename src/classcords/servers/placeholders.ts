import type { DiscordServer } from '../contract.ts'

/** Beside the public servers, for those without a linked chat account. Real private servers are never sent to them. */
const placeholderCount = 14

/** Locked servers with ids −1 … −14, about which there is nothing to know. */
export function placeholders(): DiscordServer[] {
  return Array.from({ length: placeholderCount }, (_unused, index) => ({
    id: -1 - index,
    server_id: '',
    name: 'Private class server',
    display_name: 'Private class server',
    custom_title: '',
    description: 'Sign in with Discord to see the private servers of your school.',
    icon_url: null,
    member_count: 0,
    privacy_level_info: { value: 'private', label: 'Private Server' },
    is_active: true,
    is_required_for_trust: false,
    is_general_server: false,
    schools: [],
    subjects: [],
    courses: [],
    instructors: [],
    datetime_created: null,
  }))
}
