import { parseArgs, type ParseArgsConfig } from 'node:util'

/** Parses the options of a command. With unknown ones, or with `--help`, it prints the usage and exits (2 or 0). */
export function parseOptions<const Config extends ParseArgsConfig>(
  config: Config,
  usage: string,
): ReturnType<typeof parseArgs<Config>> {
  if (process.argv.includes('--help')) {
    console.log(usage)
    process.exit(0)
  }
  try {
    return parseArgs(config)
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : String(error)}\n\n${usage}`)
    process.exit(2)
  }
}
