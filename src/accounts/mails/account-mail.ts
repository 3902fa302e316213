/** What a mail about an account says, before it is laid out as text and HTML. Texts may hold what people typed. */
export interface AccountMail {
  /** Without the site's name. */
  subject: string
  /** Paragraphs before the link or code. */
  before: string[]
  link?: { label: string; url: string }
  /** Shown large, to be typed. */
  code?: string
  /** Facts, one a line: what, when, where. */
  facts?: { name: string; value: string }[]
  /** Paragraphs after them. */
  after: string[]
}

export interface WrittenMail {
  subject: string
  text: string
  html: string
}
