import { VERSION } from './version.ts'

// Before anything else is evaluated: who asks for the version wants nothing else.
if (process.argv.length === 3 && process.argv[2] === '--version') {
  process.stdout.write(`${VERSION}\n`)
} else {
  const { runCommandLine } = await import('./run/run-command-line.ts')
  // Never process.exit: what is still in a pipe would be lost.
  process.exitCode = await runCommandLine({
    argv: process.argv.slice(2),
    env: process.env,
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    now: Date.now,
    fetch,
    version: VERSION,
  })
}
