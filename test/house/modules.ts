/**
 * Every module of src, in order, with those it may import besides itself. The linter's rules are generated from this
 * list (`npm run import-rules`), and a test checks the tree against it.
 */
const ground = ['lib', 'db', 'web', 'jobs', 'notify', 'sources']
const features = ['class-tracker', 'classcords']
export const mayImport: Readonly<Record<string, readonly string[]>> = {
  lib: [],
  db: ['lib'],
  web: ['lib', 'db'],
  jobs: ['lib', 'db'],
  notify: ['lib'],
  sources: ['lib'],
  accounts: ground,
  'class-tracker': [...ground, 'accounts'],
  classcords: [...ground, 'accounts'],
  scheduler: [...ground, 'accounts', ...features],
  admin: [...ground, 'accounts', ...features],
  home: [...ground, 'accounts', ...features],
}
export const modules = Object.keys(mayImport)

/** The folders of class-tracker, in order: each may import only those before it, and the feature's own contract. */
export const trackerFolders = [
  'courses',
  'watches',
  'recipients',
  'alerts',
  'deliveries',
  'own-page',
  'links',
  'polling',
  'refresh',
  'retention',
  'admin',
]

/** Above all modules; nothing imports them. */
export const entryFiles = ['app.tsx', 'background-jobs.ts', 'worker.ts']

/** Modules that may not import client. */
export const withoutPages = ['lib', 'db', 'jobs', 'notify', 'sources']

interface Pattern {
  group: string[]
  message: string
}

const noTests: Pattern = { group: ['**/test/**'], message: 'The product does not import its tests.' }

/**
 * The parts of the linter's configuration that apply to some files: who may import what, and what only email may do.
 */
export function importRules(): { files: string[]; rules: object }[] {
  return [
    // Email programs ignore style sheets, so layout is made with tables.
    {
      files: ['src/notify/email/email-html.tsx'],
      rules: { 'react/forbid-dom-props': 'off', 'jsx-a11y/control-has-associated-label': 'off' },
    },
    ...modules.map((name) => forbidden(`src/${name}/**`, ...patternsOf(name))),
    forbidden(
      'client/**',
      {
        group: ['**/src/**', '!**/contract.ts'],
        message: 'client imports types of contracts and nothing else of src.',
      },
      noTests,
    ),
    forbidden('**/contract.ts', {
      group: [
        '*',
        './*.ts',
        './*.tsx',
        '../**/*.ts',
        '../**/*.tsx',
        '!zod',
        '!zod/mini',
        '!./contract.ts',
        '!./*/contract.ts',
        '!../**/contract.ts',
      ],
      message: 'A contract imports zod and other contracts only.',
    }),
    forbidden('test/world/**', {
      group: ['**/src/**', '**/client/**'],
      message: 'The world imports nothing of the product.',
    }),
  ]
}

function patternsOf(name: string): Pattern[] {
  const allowed = mayImport[name] ?? []
  const others = modules.filter((other) => other !== name && !allowed.includes(other))
  const entries = entryFiles.map((file) => `**/../${file.replace(/\.tsx?$/, '.ts*')}`)
  return [
    {
      group: [...others.map((other) => `**/${other}/**`), ...entries],
      message: `src/${name} may import only from: ${[...allowed, name].join(', ')}.`,
    },
    noTests,
    ...(withoutPages.includes(name) ? [{ group: ['**/client/**'], message: `src/${name} knows no pages.` }] : []),
  ]
}

function forbidden(files: string, ...patterns: Pattern[]): { files: string[]; rules: object } {
  return { files: [files], rules: { 'no-restricted-imports': ['error', { patterns }] } }
}
