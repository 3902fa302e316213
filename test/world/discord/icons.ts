/** A server's icon: its background, its color, and the drawing on a grid of 48. */
interface Drawing {
  ground: string
  ink: string
  /** SVG within a group that is drawn in strokes of the ink. */
  lines: string
}

const drawing = (ground: string, ink: string, lines: string): Drawing => ({ ground, ink, lines })
const line = (d: string): string => `<path d="${d}"/>`
const dot = (x: number, y: number, radius: number): string => `<circle cx="${x}" cy="${y}" r="${radius}"/>`

/** The picture for a class's server. No green, because on our pages that means a free seat. */
const classes: Readonly<Record<string, Drawing>> = {
  'Calculus I': drawing('#2b2a6b', '#ffd166', line('M30 12c-4.5-2.5-7 .5-7.6 5l-2.8 14c-.8 4.5-3.5 7-7.6 5')),
  'Calculus II': drawing('#5b2333', '#ffc9b5', line('M33 13H16l10 11-10 11h17')),
  'Linear Algebra': drawing('#1f3b57', '#9ad4ff', line('M14 11h-3v26h3M34 11h3v26h-3M19 18h3M26 18h3M19 30h3M26 30h3')),
  'Data Structures': drawing(
    '#3a2f5b',
    '#d9ccff',
    `${dot(24, 13, 4)}${dot(14, 34, 4)}${dot(34, 34, 4)}${line('m22 17-6 13M26 17l6 13')}`,
  ),
  'Operating Systems': drawing('#1d1f2b', '#9fd3ff', line('m13 17 7 7-7 7M24 32h11')),
  'Intro to Programming': drawing('#1d1f2b', '#f78c6c', line('m18 16-8 8 8 8M30 16l8 8-8 8')),
  'General Chemistry': drawing('#12414f', '#8be0f0', line('M20 11h8M21.5 11v9L13 35h22l-8.5-15v-9M17.5 28h13')),
  'Organic Chemistry': drawing('#6b2d1a', '#ffd9a8', line('M24 11l11 6.5v13L24 37l-11-6.5v-13ZM24 17.5 30 21v7')),
  'Physics for Engineers': drawing(
    '#26306b',
    '#b9c6ff',
    `${dot(24, 24, 2.5)}<g>${['0', '60', '120'].map((turn) => `<ellipse cx="24" cy="24" rx="15" ry="6" transform="rotate(${turn} 24 24)"/>`).join('')}</g>`,
  ),
  'Biology 101': drawing(
    '#4a1f4f',
    '#f3b8f0',
    line('M17 10c0 9 14 10 14 19v9M31 10c0 9-14 10-14 19v9M19 15h10M19 33h10'),
  ),
  Microeconomics: drawing(
    '#7a3b1d',
    '#ffe8d1',
    line('M13 18h18v9a7 7 0 0 1-7 7h-4a7 7 0 0 1-7-7ZM31 20h2.5a4 4 0 0 1 0 8H31M18 9v4M24 9v4'),
  ),
  Accounting: drawing('#3d3d12', '#f2e58c', `${line('M14 10h20v28H14zM19 16h10M19 24h2M27 24h2M19 31h2M27 31h2')}`),
  'World History': drawing(
    '#5a3d12',
    '#ffdf9e',
    line('M11 19 24 11l13 8ZM14 23v10M21 23v10M27 23v10M34 23v10M11 37h26'),
  ),
  Psychology: drawing('#571b45', '#ffc2e2', line('M15 38v-7c-3-2-5-5-5-9a13 13 0 0 1 26-1l3 6-4 1v6h-6v4M23 16v6l5 3')),
  'English Composition': drawing('#3b2a20', '#f6d7c3', line('M12 36l2-8L31 11l6 6-17 17ZM27 15l6 6M12 36l8-2')),
  Statistics: drawing('#16325c', '#a8ccff', line('M10 37h28M15 32v-6M22 32V19M29 32V13M36 32v-9')),
}

/** How the lines of every icon are drawn. */
const stroke = 'fill="none" stroke-width="3" stroke-linecap="round" stroke-linejoin="round"'

/** The icon of a class's server as the content of an SVG of 48 by 48; null for a class that has none. */
export function classIcon(className: string): string | null {
  const found = classes[className]
  return found
    ? `<path fill="${found.ground}" d="M0 0h48v48H0z"/><g stroke="${found.ink}" ${stroke}>${found.lines}</g>`
    : null
}

/** The icon of the server for all campuses: people under one roof. */
export const commonsIcon = `<path fill="#22233a" d="M0 0h48v48H0z"/><g stroke="#ffd166" ${stroke}>${line('M11 22 24 12l13 10')}${dot(18, 28, 3)}${dot(30, 28, 3)}${line('M12 38a6 6 0 0 1 12 0M24 38a6 6 0 0 1 12 0')}</g>`
