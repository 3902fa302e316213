import { createHash } from 'node:crypto'
import { glob, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { build, type BuildOptions, type Metafile, type OutputFile, type Plugin } from 'esbuild'
import { minify } from 'vite'
import { islands } from './islands/index.ts'
import { phoneMetadata } from './phone-metadata.ts'
import { sharedChunks } from './shared-chunks.ts'

/* Builds what browsers load: `node client/build.ts [--development] [--into FOLDER]`. `--development` keeps names and
   React's own warnings (including those about hydration). FOLDER defaults to .build. Files are written only if their
   bytes changed, so that a watcher of the output sees only real changes. */

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const { values: asked } = parseArgs({
  options: { development: { type: 'boolean', default: false }, into: { type: 'string', default: '.build' } },
})
const output = join(root, asked.into, 'client')

/** What the server needs to know about the build: addresses on this site. */
interface Manifest {
  /** A hash of everything that pages are made of. Pages cached from another build are not used. */
  build: string
  'main.js': string
  'style.css': string
  /** In addition, for the pages of staff. */
  'staff.css': string
  font: string
  /** Scripts of pages without islands, by name. */
  scripts: Record<string, string>
  /** For each island: every script that its page needs besides main.js, for modulepreload. */
  islands: Record<string, string[]>
  /** The names of the migrations that this version expects, oldest first. */
  migrations: string[]
}

const headers = `/*
  X-Content-Type-Options: nosniff
/assets/*
  Cache-Control: public, max-age=31536000, immutable
/favicon.svg
  Cache-Control: public, max-age=86400
/*.png
  Cache-Control: public, max-age=86400
/share/*
  Cache-Control: public, max-age=86400
/service-worker.js
  Cache-Control: no-cache
  Content-Security-Policy: default-src 'none'; connect-src 'self'
`
const redirects = '/favicon.ico /favicon.svg 301\n'

async function writeIfChanged(path: string, bytes: Uint8Array): Promise<void> {
  const present = await readFile(path).catch(() => null)
  if (present !== null && present.equals(bytes)) return
  await mkdir(dirname(path), { recursive: true })
  const draft = `${path}.${process.pid}.draft`
  await writeFile(draft, bytes)
  await rename(draft, path)
}

async function removeOthers(folder: string, keep: ReadonlySet<string>): Promise<void> {
  const names = await readdir(folder).catch(() => [])
  await Promise.all(names.filter((name) => !keep.has(name)).map((name) => rm(join(folder, name), { force: true })))
}

function addressOf(path: string): string {
  return `/${relative(join(asked.into, 'client'), path)}`
}

/** The output file made from an entry or a dynamic import. */
function outputOf(metafile: Metafile, entryPoint: string): string {
  const found = Object.entries(metafile.outputs).find(([, made]) => made.entryPoint === entryPoint)
  if (found === undefined) throw new Error(`The build made nothing of ${entryPoint}`)
  return found[0]
}

function fontOf(metafile: Metafile): string {
  const fonts = Object.keys(metafile.outputs).filter((path) => path.endsWith('.woff2'))
  if (fonts.length !== 1 || fonts[0] === undefined) throw new Error(`One font was expected, not ${fonts.length}`)
  return fonts[0]
}

/** A file and all its static imports, the file first. */
function withImports(metafile: Metafile, path: string, seen = new Set<string>()): Set<string> {
  if (seen.has(path)) return seen
  seen.add(path)
  for (const made of metafile.outputs[path]?.imports ?? []) {
    if (made.kind === 'import-statement') withImports(metafile, made.path, seen)
  }
  return seen
}

/** React is CommonJS, whose names are looked up at every call: named exports of a module are not. */
const directNames = new Map([
  ['react', join(root, 'client/react/react.ts')],
  ['react/jsx-runtime', join(root, 'client/react/jsx-runtime.js')],
])
const directReact: Plugin = {
  name: 'direct-react',
  setup(making) {
    making.onResolve({ filter: /^react(\/jsx-runtime)?$/ }, ({ path, importer, kind }) => {
      const direct = directNames.get(path)
      return kind === 'import-statement' && direct !== undefined && importer !== direct ? { path: direct } : null
    })
  },
}

/** Runs a second minifier over the scripts, which saves 2 %. File names and exports do not change. */
async function smaller({ path, contents, text }: OutputFile): Promise<Uint8Array> {
  if (!path.endsWith('.js')) return contents
  const { code, errors } = await minify(path, text, { module: true, compress: { target: 'es2022' }, mangle: true })
  if (errors.length > 0) throw new Error(`${path}: ${errors.map(({ message }) => message).join('; ')}`)
  return bytesOf(code)
}

const mainEntry = 'client/main.ts'
const styleEntries = ['client/styles/style.css', 'client/styles/staff.css'] as const
/** Small scripts without React, each self-contained. */
const scriptEntries = {
  'alert-link': 'client/scripts/alert-link.ts',
  push: 'client/scripts/push.ts',
  keys: 'client/scripts/keys.ts',
  palette: 'client/scripts/palette.ts',
}
const entryOf = (island: string): string => `client/islands/${island}.tsx`

/** One hash over everything that is deployed. */
async function buildOf(): Promise<string> {
  const hash = createHash('sha256')
  const files = ['package-lock.json', 'wrangler.toml']
  for await (const file of glob('{src,client}/**/*.{ts,tsx,css,svg}', { cwd: root })) files.push(file)
  for (const file of files.toSorted()) hash.update(`${file}\n`).update(await readFile(join(root, file)))
  return hash.digest('base64url').slice(0, 16)
}

async function migrationNames(): Promise<string[]> {
  return (await readdir(join(root, 'migrations'))).filter((name) => name.endsWith('.sql')).toSorted()
}

function manifestOf(metafile: Metafile, scripts: Metafile, build: string, migrations: string[]): Manifest {
  const main = outputOf(metafile, mainEntry)
  const pairs = Object.keys(islands).map((name): [string, string[]] => {
    const needed = withImports(metafile, outputOf(metafile, entryOf(name)), withImports(metafile, main))
    return [name, [...needed].filter((path) => path !== main).map(addressOf)]
  })
  return {
    build,
    'main.js': addressOf(main),
    'style.css': addressOf(outputOf(metafile, styleEntries[0])),
    'staff.css': addressOf(outputOf(metafile, styleEntries[1])),
    font: addressOf(fontOf(metafile)),
    scripts: Object.fromEntries(
      Object.entries(scriptEntries).map(([name, entry]) => [name, addressOf(outputOf(scripts, entry))]),
    ),
    islands: Object.fromEntries(pairs),
    migrations,
  }
}

/** At the root of the site, because it serves all of it, and always under the same name. */
async function writeServiceWorker(development: boolean): Promise<void> {
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: ['client/service-worker/service-worker.ts'],
    outfile: join(output, 'service-worker.js'),
    bundle: true,
    format: 'iife',
    minify: !development,
    target: 'es2022',
    write: false,
    logLevel: 'warning',
  })
  for (const { path, contents } of outputFiles) await writeIfChanged(path, contents)
}

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text)

async function writeStaticFiles(): Promise<void> {
  await writeIfChanged(join(output, '_headers'), bytesOf(headers))
  await writeIfChanged(join(output, '_redirects'), bytesOf(redirects))
  await writeIfChanged(join(output, 'app.webmanifest'), await readFile(join(root, 'client/app-manifest.json')))
  for (const icon of await readdir(join(root, 'client/icons'))) {
    await writeIfChanged(join(output, icon), await readFile(join(root, 'client/icons', icon)))
  }
  for (const picture of await readdir(join(root, 'client/share'))) {
    await writeIfChanged(join(output, 'share', picture), await readFile(join(root, 'client/share', picture)))
  }
  await writeIfChanged(join(output, 'favicon.svg'), await readFile(join(root, 'client/favicon.svg')))
  await writeIfChanged(
    join(output, 'inter-license.txt'),
    await readFile(join(root, 'node_modules/@fontsource-variable/inter/LICENSE')),
  )
  // The directory of schools is fetched only when someone adds a school, so it is not part of the Worker's startup.
  await writeIfChanged(join(output, 'schools.json'), await readFile(join(root, 'src/sources/schools/schools.json')))
}

async function run(development: boolean): Promise<void> {
  const options = {
    absWorkingDir: root,
    entryPoints: [mainEntry, ...styleEntries],
    outdir: output,
    entryNames: 'assets/[name]-[hash]',
    chunkNames: 'assets/[name]-[hash]',
    assetNames: 'assets/[name]-[hash]',
    loader: { '.woff2': 'file', '.svg': 'file' },
    bundle: true,
    splitting: true,
    format: 'esm',
    jsx: 'automatic',
    jsxDev: development,
    minify: !development,
    target: ['es2022', 'chrome123', 'firefox120', 'safari17.5'],
    define: { 'process.env.NODE_ENV': JSON.stringify(development ? 'development' : 'production') },
    legalComments: 'none',
    metafile: true,
    write: false,
    logLevel: 'warning',
    plugins: development ? [] : [directReact],
  } as const satisfies BuildOptions
  // The first build finds out what is shared; the second uses it.
  const { metafile: plain } = await build(options)
  const pages = new Set(Object.keys(islands).map((name) => entryOf(name)))
  const sharing = sharedChunks({
    metafile: plain,
    main: mainEntry,
    islands: pages,
    pathOf: (path) => join(root, path),
    read: (path) => readFile(path, 'utf8'),
  })
  const made = await build({ ...options, plugins: [...options.plugins, sharing] })
  const scripts = await build({ ...options, entryPoints: Object.values(scriptEntries), splitting: false })
  const files = [...made.outputFiles, ...scripts.outputFiles]
  await Promise.all(
    files.map(async (file) => writeIfChanged(file.path, development ? file.contents : await smaller(file))),
  )
  await writeStaticFiles()
  await writeServiceWorker(development)
  const manifest = JSON.stringify(
    manifestOf(made.metafile, scripts.metafile, await buildOf(), await migrationNames()),
    null,
    2,
  )
  await writeIfChanged(join(root, asked.into, 'manifest.json'), bytesOf(`${manifest}\n`))
  await writeIfChanged(join(root, asked.into, 'phone-metadata.json'), bytesOf(phoneMetadata()))
  const assets = join(output, 'assets')
  await removeOthers(assets, new Set(files.map((file) => relative(assets, file.path))))
}

await run(asked.development)
