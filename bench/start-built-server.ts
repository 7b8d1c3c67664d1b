import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildServer } from '../scripts/build-server.ts'
import { type RunningServer, startServer } from '../tests/server/run-server.ts'
import type { CountedDevnet } from './start-product.ts'
import { WorkerdProcess } from './workerd-process.ts'

/** The server of `npm run build:server` on a folder of its own, with the chains of the bench. */
export interface BuiltServer {
  server: RunningServer
  process: WorkerdProcess
  /** Ends it and starts it again on its folder; milliseconds until it answered, of which none is this process's work. */
  restart(): Promise<number>
  close(): Promise<void>
}

/** `known`: other processes of workerd that this process started. */
export async function startBuiltServer(
  devnet: CountedDevnet,
  known: readonly (WorkerdProcess | undefined)[] = [],
): Promise<BuiltServer> {
  const folder = await mkdtemp(join(tmpdir(), 'hookline-bench-server-'))
  const home = join(folder, 'home')
  await buildServer(home)
  const mailUrl = `http://127.0.0.1:${devnet.port}/outbox`
  const settings = { QUOTA_FIRST_ITEMS: '1000000' }
  const server = await startServer({ home, folder, rpc: devnet.url, mailUrl, settings })
  const others = known.filter((process) => process !== undefined)
  const find = (): WorkerdProcess => {
    const found = WorkerdProcess.find(others)
    if (!found) throw new Error('these rows need Linux')
    return found
  }
  const built: BuiltServer = {
    server,
    process: find(),
    async restart() {
      await server.end('SIGTERM')
      const begun = performance.now()
      await server.start()
      const spent = performance.now() - begun
      built.process = find()
      return spent
    },
    async close() {
      await server.end('SIGTERM')
      await rm(folder, { recursive: true, force: true })
    },
  }
  return built
}
