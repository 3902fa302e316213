/** A page to audit, and which Lighthouse audits do not apply to it. */
export interface PublicPage {
  path: string
  /** Not indexed by search engines. */
  isUnlisted?: boolean
  /** Answers 404, which the browser logs to its console. */
  isMissing?: boolean
}

interface Ids {
  /** The first school with servers. */
  school: number
  server: number
  /** The code of a message's link. */
  link: string
  /** The code of a referral. */
  referral: string
}

/** The pages that anyone can open. */
export const pages = ({ school, server, link, referral }: Ids): readonly PublicPage[] => [
  { path: '/' },
  { path: '/classcords/' },
  { path: '/classcords/all/' },
  { path: '/classcords/all/?q=calculus' },
  { path: `/classcords/school/${school}/` },
  { path: `/classcords/server/${server}/` },
  { path: '/classcords/login/', isUnlisted: true },
  { path: `/classcords/login/?referral=${referral}`, isUnlisted: true },
  { path: '/accounts/login/', isUnlisted: true },
  { path: '/accounts/login/code/', isUnlisted: true },
  { path: '/accounts/signup/', isUnlisted: true },
  { path: '/accounts/password/reset/', isUnlisted: true },
  { path: '/accounts/discord/login/', isUnlisted: true },
  { path: '/class_tracker/', isUnlisted: true },
  { path: '/class_tracker/login_view/', isUnlisted: true },
  { path: `/s/${link}`, isUnlisted: true },
  { path: '/classcords/nowhere/', isUnlisted: true, isMissing: true },
]
