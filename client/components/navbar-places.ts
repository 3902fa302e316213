import type { PageContext } from '../../src/web/contract.ts'

export interface Place {
  label: string
  href: string
  /** How other addresses begin that belong to it. */
  also?: string
}

/** The contents of a page's navbar. */
export interface Bar {
  /** The page's part of the product, shown beside the site's name; null if the name alone is enough. */
  section: Place | null
  /** Where the site's name leads in the directory. */
  isDirectory: boolean
  places: Place[]
  /** Links of the profile menu, above Log Out. */
  menu: Place[]
  /** The address of the person's notifications; null if there are none. */
  notices: string | null
  /** Null if no account is needed. */
  logIn: string | null
  /** Takes a POST. */
  logOut: string
}

const home: Place = { label: 'Home', href: '/' }
const admin: Place = { label: 'Admin', href: '/admin/' }
const scheduler: Place = { label: 'Scheduler', href: '/scheduler/' }
const classTracker: Place = { label: 'Class Tracker', href: '/class_tracker/' }
const account: Place = { label: 'Account', href: '/accounts/' }

/** What most areas have in common. */
const usual = {
  section: null,
  isDirectory: false,
  menu: [account, home],
  notices: null,
  logIn: '/accounts/login/',
  logOut: '/accounts/logout/',
} satisfies Omit<Bar, 'places'>

function classTrackerBar({ is_superuser: isSuperuser }: PageContext['user']): Bar {
  const places = [
    { label: 'Manage Courselist', href: '/class_tracker/manage_course_list/' },
    { label: 'Add Classes', href: '/class_tracker/add_classes/' },
    { label: 'Class Alerts', href: '/class_tracker/class_alerts/' },
    admin,
    home,
  ]
  return {
    ...usual,
    section: classTracker,
    places: isSuperuser ? places : [],
    menu: isSuperuser ? [account] : [account, home],
    logIn: '/class_tracker/login_view/',
    logOut: '/class_tracker/logout_view/',
  }
}

function classcordsBar({ discord_user: person, is_superuser: isSuperuser }: PageContext['user']): Bar {
  const places: Place[] = []
  if (person) {
    places.push(
      { label: 'Explore All Servers', href: '/classcords/all/' },
      { label: 'Referrals', href: '/classcords/referrals/' },
    )
  }
  if (person?.role_info.value === 'manager') {
    places.push({ label: 'Unapproved Invites', href: '/classcords/unapproved-invites/' })
  }
  const profile = person ? [{ label: 'My Profile', href: '/classcords/profile/' }] : []
  return {
    ...usual,
    isDirectory: true,
    places,
    menu: [...profile, home, ...(isSuperuser ? [admin] : [])],
    notices: person ? '/classcords/notices/' : null,
    logIn: '/classcords/login/',
    logOut: '/accounts/logout/?next=/classcords/',
  }
}

function schedulerBar({ is_superuser: isSuperuser }: PageContext['user']): Bar {
  const places = [
    { label: 'Queues', href: '/scheduler/queues/', also: '/scheduler/jobs/' },
    { label: 'Workers', href: '/scheduler/workers/' },
    { label: 'Audit log', href: '/scheduler/audit/' },
    admin,
    home,
  ]
  return { ...usual, section: scheduler, places: isSuperuser ? places : [home], menu: [account] }
}

function adminBar({ is_superuser: isSuperuser }: PageContext['user']): Bar {
  const places = [
    { label: 'Tables', href: '/admin/' },
    { label: 'Audit log', href: '/admin/audit/' },
    scheduler,
    classTracker,
    home,
  ]
  return { ...usual, section: admin, places: isSuperuser ? places : [] }
}

/** Chooses the navbar by the path's area. The server behind each link decides again who may see it. */
export function barOf({ path, user }: Pick<PageContext, 'path' | 'user'>): Bar {
  if (path.startsWith('/class_tracker')) return classTrackerBar(user)
  if (path.startsWith('/classcords')) return classcordsBar(user)
  if (path === '/scheduler' || path.startsWith('/scheduler/')) return schedulerBar(user)
  if (path === '/admin' || path.startsWith('/admin/')) return adminBar(user)
  const areas = user.is_superuser ? [classTracker] : []
  // The pages that a message links to: students have no account there, and one thing to do.
  if (/^\/[sr]\//.test(path)) return { ...usual, places: areas, logIn: null }
  const servers = { label: 'Servers', href: '/classcords/' }
  return { ...usual, places: [...areas, servers, ...(user.is_superuser ? [scheduler, admin] : [])] }
}

/** What the palette of superusers and managers searches; null for others, and on pages that load no script. */
export function paletteAddress({ path, user }: Pick<PageContext, 'path' | 'user'>): string | null {
  if (path.startsWith('/accounts/')) return null
  if (user.is_superuser) return '/admin/palette.json'
  return user.discord_user?.role_info.value === 'manager' ? '/classcords/ajax/palette/' : null
}

/** The current link: the longest address that the path begins with. Home only if it matches exactly. */
export function currentPlace(places: readonly Place[], path: string): Place | null {
  const address = path.endsWith('/') ? path : `${path}/`
  const fitting = places.filter(({ href, also }) =>
    href === '/' ? address === '/' : address.startsWith(href) || (also !== undefined && address.startsWith(also)),
  )
  return fitting.toSorted((one, other) => other.href.length - one.href.length)[0] ?? null
}
