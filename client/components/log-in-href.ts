/** The login page for the path's area, which then leads to `next`. */
export function logInHref(path: string, next: string): string {
  const page = path.startsWith('/classcords/')
    ? '/classcords/login/'
    : path.startsWith('/class_tracker/')
      ? '/class_tracker/login_view/'
      : '/accounts/login/'
  return `${page}?${new URLSearchParams({ next })}`
}
