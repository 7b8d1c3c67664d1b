import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { endLeftover } from './end-leftover.ts'

/**
 * Sees to it that the workerd of this process on `port` ends with it, even when this process is killed: a helper of
 * its own session holds a pipe, and the pipe's end tells it of our death, whatever the cause.
 */
export function endWithParent(port: number): void {
  const options = { detached: true, stdio: 'pipe' } as const
  spawn(process.execPath, [fileURLToPath(import.meta.url), String(port)], options).unref()
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  process.stdin.resume().on('end', () => endLeftover(Number(process.argv[2])))
}
