import { ChildProcess, spawn } from 'node:child_process'
import { subscribe } from 'node:diagnostics_channel'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

/**
 * Makes every process that this one starts from now on end with it, even if this one is killed: a helper in a session
 * of its own receives their ids through a pipe and ends them when the pipe closes. (Otherwise a workerd without its
 * parent would keep running, with the port and the state.)
 */
export function endWithParent(): void {
  const helper = spawn(process.execPath, [fileURLToPath(import.meta.url)], {
    detached: true,
    stdio: ['pipe', 'ignore', 'inherit'],
  })
  helper.unref()
  subscribe('child_process', (message) => {
    const child = message instanceof Object && 'process' in message ? message.process : undefined
    if (!(child instanceof ChildProcess)) return
    child.once('spawn', () => helper.stdin.write(`${child.pid} started\n`))
    child.once('exit', () => helper.stdin.write(`${child.pid} ended\n`))
  })
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const running = new Set<number>()
  createInterface({ input: process.stdin })
    .on('line', (line) => {
      const [pid = '', what] = line.split(' ')
      if (what === 'started') running.add(Number(pid))
      else running.delete(Number(pid))
    })
    .on('close', () => {
      for (const pid of running) {
        try {
          process.kill(pid, 'SIGKILL')
        } catch {
          // It ended by itself.
        }
      }
    })
}
