import { VERSION } from './version.ts'

// Before anything else is evaluated: who asks for the version wants nothing else.
if (process.argv.length === 3 && process.argv[2] === '--version') {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    // As EXIT.notWritten, which is not loaded here; a closed pipe is no error.
    if (error.code !== 'EPIPE') process.exitCode = 74
  })
  process.stdout.write(`${VERSION}\n`)
} else {
  const { openStdout } = await import('./output/open-stdout.ts')
  const { runCommandLine } = await import('./run/run-command-line.ts')
  // Never process.exit: what is still in a pipe would be lost.
  process.exitCode = await runCommandLine({
    argv: process.argv.slice(2),
    env: process.env,
    stdin: process.stdin,
    stdout: openStdout(),
    stderr: process.stderr,
    now: Date.now,
    fetch,
    version: VERSION,
  })
}
