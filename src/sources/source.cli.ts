import process from 'node:process'
import { runSource } from './source-command.cli.ts'

process.exitCode = await runSource(process.argv.slice(2))
