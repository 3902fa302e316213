/** One of the pictures in client/share. */
type SharePicture = 'site' | 'invitation' | `server-${number}` | `school-${number}`

/** The link preview of a public page, also for search engines. */
export interface Share {
  /** The page's canonical path, from the slash on. */
  path: string
  title?: string
  picture: SharePicture
  /** Structured data about the page (https://schema.org), for search engines. */
  data?: object
  /** Whether search engines should skip the page even though it has a preview. */
  isUnlisted?: boolean
}

interface ShareTagsProps {
  /** Absent: the page is not indexed, and its preview reveals nothing, not even the title. */
  share: (Share & { origin: string }) | undefined
  title: string
  description: string
}

/** The tags that chats and search engines read (https://ogp.me). They do not depend on the user. */
export function ShareTags({ share, title, description }: ShareTagsProps) {
  if (share === undefined)
    return (
      <>
        <meta name="robots" content="noindex" />
        <meta property="og:title" content="Class Cords" />
      </>
    )
  const { origin, path } = share
  const url = origin + path
  return (
    <>
      {share.isUnlisted ? <meta name="robots" content="noindex" /> : <link rel="canonical" href={url} />}
      <meta property="og:type" content="website" />
      <meta property="og:site_name" content="Class Cords" />
      <meta property="og:title" content={share.title ?? title} />
      <meta property="og:description" content={description} />
      <meta property="og:url" content={url} />
      <meta property="og:image" content={`${origin}/share/${share.picture}.png`} />
      <meta property="og:image:width" content="1200" />
      <meta property="og:image:height" content="630" />
      <meta property="og:image:alt" content="Rows of seats in a lecture hall, one of them open" />
      <meta name="twitter:card" content="summary_large_image" />
      {share.data && (
        <script
          type="application/ld+json"
          dangerouslySetInnerHTML={{ __html: scriptJson({ '@context': 'https://schema.org', ...share.data }) }}
        />
      )}
    </>
  )
}

/** JSON that is safe inside a `<script>` element: nothing in it can close the element or open a comment. */
export function scriptJson(data: object): string {
  return JSON.stringify(data).replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
