import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../kit/free-port.ts'
import { call, type NodeAddress } from '../kit/rpc-client.ts'

export interface Daemon {
  node: NodeAddress
  /** With user and password, in the form of RPC_<CHAIN>. */
  url: string
  /** Ends it and starts it again on the same data, with other options; its wallets have to be loaded again. */
  restart(...options: string[]): Promise<void>
  stop(): Promise<void>
}

const HOW = 'Install it with `apt-get install litecoind`, or say where it is with LITECOIND=/path/to/litecoind.'

function findLitecoind(): string {
  const path = process.env.LITECOIND ?? 'litecoind'
  try {
    execFileSync(path, ['-version'], { stdio: 'ignore' })
    return path
  } catch (cause) {
    throw new Error(`These tests need litecoind, a real node of Bitcoin Core's code. ${HOW}`, { cause })
  }
}

/** Starts an offline regtest daemon in a fresh folder, with a wallet that has mature coins. */
export async function startLitecoind(...options: string[]): Promise<Daemon> {
  const path = findLitecoind()
  const dataDir = mkdtempSync(join(tmpdir(), 'hookline-litecoind-'))
  const port = await freePort()
  const credentials = { user: 'devnet', password: 'devnet' }
  const start = (others: readonly string[]) =>
    spawn(
      path,
      [
        '-regtest',
        `-datadir=${dataDir}`,
        `-rpcport=${port}`,
        `-rpcuser=${credentials.user}`,
        `-rpcpassword=${credentials.password}`,
        '-server=1',
        '-listen=0',
        '-dnsseed=0',
        '-txindex=1',
        '-fallbackfee=0.0001',
        '-keypool=20',
        '-printtoconsole=0',
        ...others,
      ],
      { stdio: ['ignore', 'ignore', 'inherit'] },
    )
  let daemon = start(options)
  let exited = once(daemon, 'exit')
  const node = { url: `http://127.0.0.1:${port}/`, ...credentials }
  const end = async () => {
    daemon.kill('SIGTERM')
    await exited
  }
  const stop = async () => {
    await end()
    rmSync(dataDir, { recursive: true, force: true })
  }
  const restart = async (...others: string[]) => {
    await end()
    daemon = start([...options, ...others])
    exited = once(daemon, 'exit')
    await untilReady(node, daemon)
  }
  try {
    await untilReady(node, daemon)
    await call(node, 'createwallet', [''])
    // A reward is mature after 100 blocks.
    await call(node, 'generatetoaddress', [120, await call(node, 'getnewaddress')])
  } catch (error) {
    await stop()
    throw error
  }
  return { node, url: `http://${credentials.user}:${credentials.password}@127.0.0.1:${port}`, restart, stop }
}

async function untilReady(node: NodeAddress, daemon: { exitCode: number | null }): Promise<void> {
  for (let tries = 0; tries < 1000; tries++) {
    if (daemon.exitCode !== null) throw new Error(`litecoind ended with code ${daemon.exitCode}`)
    try {
      await call(node, 'getblockcount')
      return
    } catch {
      await sleep(100)
    }
  }
  throw new Error('litecoind did not answer within 100 s')
}
