import { parseArgs } from 'node:util'
import { asker, UnreachableError } from './probe/ask.ts'
import { probe } from './probe/probe.ts'
import { ProbeError, readTarget } from './probe/target.ts'
import { showUsageIfAsked } from './show-usage.ts'

const USAGE = `Usage: npm run probe -- <url> [--content <chain>:<txid>,…]
Checks a running service from outside: whether content arrives unaltered, and what it says of its own state. <url> is BASE_URL;
--content names content on a chain, by default that of CONSOLE_LETTER. Exit code 1 where something is wrong.`

function readArguments(): { url: string; content: string | undefined } {
  const options = { content: { type: 'string' } } as const
  try {
    const { values, positionals } = parseArgs({ options, allowPositionals: true })
    const [url, ...more] = positionals
    if (url !== undefined && more.length === 0) return { url, content: values.content }
  } catch {
    // What is no option of this command is answered as any other mistake in its line.
  }
  throw new ProbeError(USAGE)
}

showUsageIfAsked(USAGE)
try {
  const { url, content } = readArguments()
  const target = await readTarget(url, content, asker(), Date.now())
  const { version, commit } = target.health
  console.log(
    `${target.api.origin}: Hookline ${String(version)}${commit === undefined ? '' : `, commit ${String(commit)}`}`,
  )
  const findings = await probe(target)
  for (const { name, outcome, text } of findings) {
    const word = outcome === 'failed' ? 'FAILED' : outcome
    console.log(`${word.padEnd(8)} ${name.padEnd(13)} ${text}`)
  }
  if (findings.some(({ outcome }) => outcome === 'failed')) process.exitCode = 1
} catch (error) {
  if (!(error instanceof ProbeError || error instanceof UnreachableError)) throw error
  console.error(error.message)
  process.exitCode = 1
}
