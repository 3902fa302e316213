import type { Metafile, Plugin } from 'esbuild'

/*
 * A bundler makes a chunk for each set of pages that share a module: dozens of a few hundred bytes. Here every module that
 * several pages share goes into one of a few chunks instead, by making each page import all of its chunk.
 */

const everywhere = 'everywhere'
/** So many pages make a module common. */
const sharers = 2

/** The folder of a module, in the bundler's own spelling of paths. */
const folderOf = (path: string): string => path.slice(0, path.lastIndexOf('/'))

/** The files that begin a chunk: islands, and what they load later. `main` itself stays as small as it is. */
function entriesOf({ outputs }: Metafile, main: string): string[] {
  const entries = Object.values(outputs).flatMap(({ entryPoint }) => entryPoint ?? [])
  return entries.filter((entry) => entry !== main && entry.endsWith('.tsx'))
}

function reachedFrom(metafile: Metafile, path: string, seen = new Set<string>()): Set<string> {
  if (seen.has(path)) return seen
  seen.add(path)
  for (const { path: next, kind } of metafile.inputs[path]?.imports ?? []) {
    if (kind === 'import-statement') reachedFrom(metafile, next, seen)
  }
  return seen
}

/**
 * Which modules go together: those that pages of several areas share under `everywhere`, those of one area under its
 * folder. What main needs, or hardly any page, is in no group. `islands` are the paths of the pages' own entries.
 */
export function groupsOf(metafile: Metafile, main: string, islands: ReadonlySet<string>): Map<string, string[]> {
  const ofMain = reachedFrom(metafile, main)
  const usersOf = new Map<string, string[]>()
  for (const entry of entriesOf(metafile, main)) {
    for (const path of reachedFrom(metafile, entry)) usersOf.set(path, [...(usersOf.get(path) ?? []), entry])
  }
  const groups = new Map<string, string[]>()
  for (const [path, users] of usersOf) {
    const pages = users.filter((user) => islands.has(user))
    // What only one page needs would be a burden to all the others.
    if (pages.length < sharers || ofMain.has(path)) continue
    const areas = new Set(users.map((user) => folderOf(user)))
    const [area = everywhere] = areas.size === 1 ? areas : []
    groups.set(area, [...(groups.get(area) ?? []), path].toSorted())
  }
  return groups
}

interface Sharing {
  /** Of a build without this plugin. */
  metafile: Metafile
  main: string
  islands: ReadonlySet<string>
  /** The absolute path of a module, and its text. */
  pathOf: (module: string) => string
  read: (path: string) => Promise<string>
}

/** Makes each page and each later chunk import the groups that are for it. */
export function sharedChunks({ metafile, main, islands, pathOf, read }: Sharing): Plugin {
  const groups = groupsOf(metafile, main, islands)
  const entries = new Map(entriesOf(metafile, main).map((entry) => [pathOf(entry), entry]))
  return {
    name: 'shared-chunks',
    setup(build) {
      build.onResolve({ filter: /^shared:/ }, ({ path }) => ({ path, namespace: 'shared' }))
      build.onLoad({ filter: /.*/, namespace: 'shared' }, ({ path }) => {
        const modules = groups.get(path.slice('shared:'.length)) ?? []
        const contents = modules.map((one) => `import ${JSON.stringify(pathOf(one))}`).join('\n')
        return { contents, resolveDir: pathOf('client') }
      })
      build.onLoad({ filter: /\.tsx$/ }, async ({ path }) => {
        const entry = entries.get(path)
        if (entry === undefined) return null
        const names = [everywhere, folderOf(entry)].filter((name) => groups.has(name))
        const imports = names.map((name) => `import ${JSON.stringify(`shared:${name}`)}`)
        return { contents: [await read(path), ...imports].join('\n'), loader: 'tsx' }
      })
    },
  }
}
