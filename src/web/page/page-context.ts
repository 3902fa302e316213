import type { PageContext } from '../contract.ts'
import type { SiteContext } from '../site.ts'

export function contextOf(c: SiteContext): PageContext {
  const user = c.get('user')
  return {
    user: {
      is_authenticated: user !== null,
      is_superuser: user?.is_superuser ?? false,
      name: user?.name ?? '',
      discord_user: user?.discord_user ?? null,
    },
    csrf_token: c.get('csrfToken'),
    messages: c.get('messages'),
    path: new URL(c.req.url).pathname,
    static_url: '/assets/',
    time_zone: c.get('timeZone'),
  }
}

/** JSON that is safe inside a `<script>` element: nothing in it can close the element or open a comment. */
export function scriptJson(data: object): string {
  return JSON.stringify(data).replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
