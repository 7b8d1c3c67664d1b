import { parseArgs } from 'node:util'

/** Prints how a script is called and ends the process, if it was called with `--help`. */
export function showUsageIfAsked(usage: string): void {
  const { values } = parseArgs({ options: { help: { type: 'boolean', short: 'h' } }, strict: false })
  if (!values.help) return
  console.log(usage)
  process.exit()
}
