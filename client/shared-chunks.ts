import type { Metafile, Plugin } from 'esbuild'

/* A bundler makes a chunk for each set of pages that share a module: dozens of a few hundred bytes. Here modules
   that several pages share go into one of a few chunks instead, by making each page import the whole chunk. Only
   large modules that few pages need keep a chunk of their own. */

const everywhere = 'everywhere'
/** A module needed by this many pages is common. */
const MIN_SHARERS = 2
/** How many bytes of modules a page may load without needing them, on average. */
const MAX_WASTE = 450

const folderOf = (path: string): string => path.slice(0, path.lastIndexOf('/'))

/** The files that begin a chunk: main, islands, and what they load later. */
function entriesOf({ outputs }: Metafile): string[] {
  const entries = Object.values(outputs).flatMap(({ entryPoint }) => entryPoint ?? [])
  return entries.filter((entry) => /\.tsx?$/.test(entry))
}

function reachedFrom(metafile: Metafile, path: string, seen = new Set<string>()): Set<string> {
  if (seen.has(path)) return seen
  seen.add(path)
  for (const { path: next, kind } of metafile.inputs[path]?.imports ?? []) {
    if (kind === 'import-statement' || kind === 'require-call') reachedFrom(metafile, next, seen)
  }
  return seen
}

function bytesOf({ outputs }: Metafile, path: string): number {
  return Object.values(outputs).reduce((sum, { inputs }) => sum + (inputs[path]?.bytesInOutput ?? 0), 0)
}

/**
 * Groups the modules: those that main needs or pages of several areas share are in `everywhere`, those of one area
 * under its folder. Modules that few pages need are in no group. `islands` are the paths of the pages' own entries.
 */
function groupsOf(metafile: Metafile, main: string, islands: ReadonlySet<string>): Map<string, string[]> {
  const ofMain = reachedFrom(metafile, main)
  const usersOf = new Map<string, string[]>()
  for (const entry of entriesOf(metafile)) {
    for (const path of reachedFrom(metafile, entry)) usersOf.set(path, [...(usersOf.get(path) ?? []), entry])
  }
  const groups = new Map<string, string[]>()
  for (const [path, users] of usersOf) {
    const group = groupOf(users)
    if (group !== null) groups.set(group, [...(groups.get(group) ?? []), path].toSorted())

    function groupOf(entries: readonly string[]): string | null {
      if (entries.includes(path)) return null
      if (ofMain.has(path)) return everywhere
      const pages = entries.filter((entry) => islands.has(entry))
      if (pages.length < MIN_SHARERS) return null
      const areas = new Set(entries.map((entry) => folderOf(entry)))
      const [area = everywhere] = areas.size === 1 ? areas : []
      const audience = [...islands].filter((island) => area === everywhere || folderOf(island) === area)
      const waste = bytesOf(metafile, path) * (1 - pages.length / audience.length)
      return waste > MAX_WASTE ? null : area
    }
  }
  return groups
}

interface Sharing {
  /** From a build without this plugin. */
  metafile: Metafile
  main: string
  islands: ReadonlySet<string>
  /** The absolute path of a module, and its text. */
  pathOf: (module: string) => string
  read: (path: string) => Promise<string>
}

/** Makes each page and each lazily loaded chunk import its groups. */
export function sharedChunks({ metafile, main, islands, pathOf, read }: Sharing): Plugin {
  const groups = groupsOf(metafile, main, islands)
  const entries = new Map(entriesOf(metafile).map((entry) => [pathOf(entry), entry]))
  return {
    name: 'shared-chunks',
    setup(build) {
      build.onResolve({ filter: /^shared:/ }, ({ path }) => ({ path, namespace: 'shared' }))
      build.onLoad({ filter: /.*/, namespace: 'shared' }, ({ path }) => {
        const modules = groups.get(path.slice('shared:'.length)) ?? []
        const contents = modules.map((one) => `import ${JSON.stringify(pathOf(one))}`).join('\n')
        return { contents, resolveDir: pathOf('client') }
      })
      build.onLoad({ filter: /\.tsx?$/ }, async ({ path }) => {
        const entry = entries.get(path)
        if (entry === undefined) return null
        const names = [everywhere, folderOf(entry)].filter((name) => groups.has(name))
        const imports = names.map((name) => `import ${JSON.stringify(`shared:${name}`)}`)
        return { contents: [await read(path), ...imports].join('\n'), loader: path.endsWith('x') ? 'tsx' : 'ts' }
      })
    },
  }
}
