import { execFileSync } from 'node:child_process'

/**
 * Ends the workerd of an earlier run on this port whose parent was killed: it goes on alone otherwise, and keeps the
 * port and the state. One that has a parent is somebody's, and stays.
 */
export function endLeftover(port: number): void {
  const listed = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,args='], { encoding: 'utf8' })
  for (const line of listed.split('\n')) {
    const [, pid, parent, command = ''] = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? []
    const leftover = parent === '1' && command.includes('workerd') && command.includes(`=entry=127.0.0.1:${port} `)
    if (leftover) process.kill(Number(pid), 'SIGKILL')
  }
}
