import type { CourseSection } from '../../src/class-tracker/courses/contract.ts'
import type { WatchedSection } from '../../src/class-tracker/watches/contract.ts'
import type { Contact, Recipient } from '../../src/class-tracker/recipients/contract.ts'
import type { ClassAlert, Delivery } from '../../src/class-tracker/alerts/contract.ts'
import type { PageContext } from '../../src/web/contract.ts'

export const observedAt = '2026-11-03T19:05:09Z'

export function courseSection(changes: Partial<CourseSection> = {}): CourseSection {
  return {
    id: 1,
    number: '39314',
    number_label: 'CRN',
    section: 'KTRA',
    topic: 'Business Analytics',
    status: 'closed',
    seats_available: 0,
    capacity: 120,
    waitlist_available: 4,
    observed_at: observedAt,
    term: { id: 1, full_term_name: '2026 Fall Term' },
    course: { id: 1, code: 'CMIS', level: '2300', title: 'Analytics', subject: 'Computer Information Systems' },
    instruction_list: [{ name: 'Smith', days_times: 'MoWe 9:05AM' }],
    ...changes,
  }
}

export function watchedSection(changes: Partial<WatchedSection> = {}): WatchedSection {
  const school = { id: 1, name: 'Baruch College' }
  return { ...courseSection(), school, link: null, history: [], ...changes }
}

export function contact(changes: Partial<Contact> = {}): Contact {
  const number = '+12125550123'
  return {
    id: 1,
    kind: 'phone',
    number,
    is_enabled: true,
    verified: false,
    opted_out: false,
    undeliverable: null,
    ...changes,
  }
}

export function recipient(changes: Partial<Recipient> = {}): Recipient {
  const lists = { phone_numbers: [contact()], watched_sections: changes.watched_sections ?? [watchedSection()] }
  const count = lists.watched_sections.length
  return {
    id: 1,
    name: 'Ann Lee',
    description: '',
    is_contact_by_phone: true,
    ...lists,
    watched_count: count,
    ...changes,
  }
}

export function delivery(changes: Partial<Delivery> = {}): Delivery {
  return {
    id: 1,
    channel: 'phone',
    address: '••• 0123',
    state: 'delivered',
    attempts: 1,
    is_repeated: false,
    last_error: null,
    created_at: observedAt,
    accepted_at: observedAt,
    delivered_at: observedAt,
    seen_at: null,
    seen_by: null,
    ...changes,
  }
}

export function classAlert(changes: Partial<ClassAlert> = {}): ClassAlert {
  return {
    id: 1,
    recipient: { id: 1, name: 'Ann Lee' },
    course_section: { ...courseSection(), school: { id: 1, name: 'Baruch College' } },
    is_current: true,
    datetime_created: observedAt,
    kind: 'opening',
    state: 'sent',
    release_at: null,
    wave: 0,
    last_closed_at: null,
    seen_open_at: '2026-11-03T19:05:00Z',
    accepted_at: '2026-11-03T19:05:08Z',
    deliveries: [delivery()],
    ...changes,
  }
}

export function pageContext(changes: Partial<PageContext> = {}): PageContext {
  return {
    user: { is_authenticated: true, is_superuser: true, name: 'admin', discord_user: null },
    csrf_token: 'token',
    messages: [],
    path: '/class_tracker/add_classes/',
    static_url: '/assets/',
    time_zone: 'America/New_York',
    ...changes,
  }
}

export const onePage = {
  current_page: 1,
  total_pages: 1,
  has_previous: false,
  has_next: false,
  previous_page_number: 0,
  next_page_number: 0,
}
