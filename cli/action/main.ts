import { VERSION } from '../../contract/version.ts'
import { runAction } from './run-action.ts'

process.exitCode = await runAction({
  env: process.env,
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  now: Date.now,
  fetch,
  version: VERSION,
})
