import { execFileSync, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const WATCHER = fileURLToPath(new URL('./kill-when-alone.ts', import.meta.url))

/**
 * Makes the children of this process that run `name` end with it, even when it is killed: workerd goes on without
 * its parent otherwise, and keeps the port and the state. Call the answer when they have ended in good order.
 */
export function outliveNobody(name: string): () => void {
  const listed = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,comm='], { encoding: 'utf8' })
  const pids = listed
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([, parent, command]) => parent === String(process.pid) && command?.includes(name))
    .map(([pid = '']) => pid)
  // The end of its standard input is how the watcher learns of our death, whatever the cause.
  const watcher = spawn(process.execPath, [WATCHER, ...pids], { detached: true, stdio: ['pipe', 'ignore', 'ignore'] })
  watcher.unref()
  return () => {
    watcher.kill()
  }
}
