import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

export interface RunningWorkerd {
  stop(): Promise<void>
}

const WORKERD = join(dirname(createRequire(import.meta.url).resolve('workerd/package.json')), 'bin', 'workerd')

/** Runs workerd on a configuration of the server's, and waits until it takes requests. */
export async function startWorkerd(
  config: string,
  { objects, port, ownServices }: { objects: string; port: number; ownServices: readonly string[] },
): Promise<RunningWorkerd> {
  const sockets = ['--socket-addr', `public=127.0.0.1:${port}`, '--socket-addr', 'internal=127.0.0.1:0']
  const args = ['serve', config, '--directory-path', `objects=${objects}`, ...sockets]
  const env = { DISK_BYTES: '', CACHE_BYTES: String(2 ** 30), TRUSTED_PROXIES: '', OWN_SERVICES: ownServices.join(' ') }
  const child = spawn(WORKERD, args, { env, stdio: ['ignore', 'inherit', 'inherit'] })
  const exited = once(child, 'exit')
  await untilListening(port, () => child.exitCode !== null)
  return {
    async stop() {
      child.kill('SIGTERM')
      await exited
    },
  }
}

/** Waits until something answers at a port of this machine. @throws where `hasEnded` says that nothing will. */
export async function untilListening(port: number, hasEnded: () => boolean): Promise<void> {
  for (let tries = 0; tries < 600; tries++) {
    if (hasEnded()) throw new Error('the server ended before it listened')
    try {
      await fetch(`http://127.0.0.1:${port}/`, { method: 'HEAD' })
      return
    } catch {
      await sleep(50)
    }
  }
  throw new Error('the server did not listen within 30 s')
}
