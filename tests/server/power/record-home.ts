import { execFileSync } from 'node:child_process'
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Recorder } from './recorder.ts'

/** Makes a copy of a built server at `home`, whose workerd is recorded, too: it gets no environment but its own. */
export function recordHome(built: string, home: string, { env }: Recorder): void {
  execFileSync('cp', ['--archive', '--link', built, home])
  const workerd = join(home, 'bin', 'workerd')
  const alone = `${workerd}-alone`
  execFileSync('mv', [workerd, alone])
  writeFileSync(workerd, `#!/bin/sh\nexec env ${env.join(' ')} ${alone} "$@"\n`)
  chmodSync(workerd, 0o755)
}
