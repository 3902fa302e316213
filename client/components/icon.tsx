/** The icons of islands, drawn on a 20 by 20 grid with lines of 1.6. */
const drawings = {
  close: 'm5 5 10 10M15 5 5 15',
  check: 'm4 10.5 4 4 8-9',
  search: 'M13 13l4 4M14.5 8.8a5.8 5.8 0 1 1-11.5 0 5.8 5.8 0 0 1 11.5 0Z',
  star: 'm10 3 2.2 4.5 4.9.7-3.6 3.5.9 4.9-4.4-2.3-4.4 2.3.9-4.9-3.6-3.5 4.9-.7Z',
  plus: 'M10 4v12M4 10h12',
  trash: 'M4 6h12M8 6V4h4v2M6 6l.7 10h6.6L14 6M8.6 9v4M11.4 9v4',
  pencil: 'm4 16 .7-3.4L13 4.3a1.4 1.4 0 0 1 2 0l.7.7a1.4 1.4 0 0 1 0 2l-8.3 8.3L4 16Z',
  down: 'm5 8 5 5 5-5',
  next: 'M4 10h12M11 5l5 5-5 5',
  out: 'M8 5H4v11h11v-4M11 4h5v5M16 4l-7 7',
  warning: 'M10 3.2 17.4 16H2.6L10 3.2ZM10 8v4M10 13.9v.2',
  info: 'M10 17.2a7.2 7.2 0 1 0 0-14.4 7.2 7.2 0 0 0 0 14.4ZM10 9v5M10 6.2v.2',
  bell: 'M5 13.5V9a5 5 0 0 1 10 0v4.5l1.2 1.5H3.8L5 13.5ZM8.4 17h3.2',
  refresh: 'M16 10a6 6 0 1 1-1.8-4.3L16 7.4M16 3.5v4h-4',
  /** A text message. */
  phone: 'M3.5 4.5h13v9h-6L7 16.5v-3H3.5zM6.8 7.6h6.4M6.8 10.4h4',
  email: 'M3 5h14v10H3zM3 5.5l7 5.5 7-5.5',
  push: 'M6.5 2.8h7v14.4h-7zM8.5 6.2h3M8.5 8.6h3',
  lock: 'M5 9h10v8H5zM7 9V6.5a3 3 0 0 1 6 0V9',
  /** A message on a channel. Discord's logo is reserved for its button. */
  discord: 'M8.2 3.5 6.6 16.5M13.4 3.5l-1.6 13M4 7.8h12.8M3.2 12.2H16',
  people:
    'M7.5 9.5a2.8 2.8 0 1 0 0-5.6 2.8 2.8 0 0 0 0 5.6ZM2.5 16a5 5 0 0 1 10 0M13 4.2a2.8 2.8 0 0 1 0 5.2M14.5 11.8a5 5 0 0 1 3 4.2',
  more: 'M4.5 10h.01M10 10h.01M15.5 10h.01',
  copy: 'M7 7h10v10H7zM13 7V3H3v10h4',
  share: 'M10 12.5v-9M6.8 6.4 10 3.2l3.2 3.2M6 9.5H4V17h12V9.5h-2',
} as const

export type IconName = keyof typeof drawings

/** Decorative: the text beside it, or the label of its button, carries the meaning. */
export function Icon({ name, size = 20 }: { name: IconName; size?: number }) {
  return <Drawing path={drawings[name]} size={size} />
}

/** A custom icon on the same grid. The style sheet sets its line width: thicker in small icons. */
export function Drawing({ path, size }: { path: string; size: number }) {
  return (
    <svg
      className={size > 16 ? 'icon icon-large' : 'icon'}
      width={size}
      height={size}
      viewBox="0 0 20 20"
      aria-hidden="true"
    >
      <path d={path} />
    </svg>
  )
}
