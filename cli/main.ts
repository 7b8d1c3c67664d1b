import { VERSION } from '../contract/version.ts'

// Before any other module is loaded: `--version` needs none.
if (process.argv.length === 3 && process.argv[2] === '--version') {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    // EXIT.notWritten, whose module is not loaded here. A closed pipe is no error.
    if (error.code !== 'EPIPE') process.exitCode = 74
  })
  process.stdout.write(`${VERSION}\n`)
} else {
  const { openStdout } = await import('./output/open-stdout.ts')
  const { runCommandLine } = await import('./run/run-command-line.ts')
  // Not process.exit, which would lose output that is still in a pipe.
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
