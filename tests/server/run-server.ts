import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, vi } from 'vitest'
import type { Blockchain } from '../../protocol/chains.ts'
import { BLOCKCHAINS } from '../../protocol/chains.ts'
import { freePort } from '../kit/free-port.ts'
import { call } from '../kit/rpc-client.ts'
import { untilListening } from './run-workerd.ts'

/** A folder of the built server, and what it is run with. */
export interface ServerSetup {
  /** Where the server was built, or unpacked. */
  home: string
  /** An empty folder for settings and data. */
  folder: string
  /** The node of a chain; a chain without one is off. */
  rpc(blockchain: Blockchain): string | undefined
  mailUrl: string
  /** What runs the server, before its own command. */
  wrap?: string[]
  /** Settings beside the usual ones. */
  settings?: Record<string, string>
}

export interface RunningServer {
  url: string
  port: number
  /** Of what is for the machine itself. */
  internalPort: number
  /** The file of its settings. */
  settings: string
  dataDir: string
  /** What it has logged, with both outputs. */
  log(): string
  /** Sends a signal, and waits until it has ended; its exit code. */
  end(signal: NodeJS.Signals): Promise<number | null>
  /** When it has ended. */
  ended(): Promise<unknown>
  /** Starts it on its folder and its ports, again where it ran before; `args` of `serve`. @throws where it ends before it listens. */
  start(...args: string[]): Promise<void>
  /** Has it stand still while a moment of its folder is copied. */
  standStill(act: () => void): Promise<void>
}

/** Writes settings and starts the server on free ports, as a person would. */
export async function startServer(setup: ServerSetup): Promise<RunningServer> {
  const server = await setUpServer(setup)
  await server.start()
  return server
}

/** The same before its first start. */
export async function setUpServer(setup: ServerSetup): Promise<RunningServer> {
  const [port, internalPort] = [await freePort(), await freePort()]
  const [settings, dataDir] = [join(setup.folder, 'env'), join(setup.folder, 'data')]
  const values: Record<string, string> = {
    BASE_URL: `http://127.0.0.1:${port}`,
    STORAGE_HOST: `storage.localhost:${port}`,
    TOKEN_JWKS: JSON.stringify({ keys: [{ kty: 'oct', k: 'A'.repeat(43) }] }),
    MAIL_URL: setup.mailUrl,
    MAIL_TOKEN: 'devnet',
    MAIL_FROM: 'Hookline <hookline@localhost>',
    LISTEN: `127.0.0.1:${port}`,
    INTERNAL_LISTEN: `127.0.0.1:${internalPort}`,
    DATA_DIR: dataDir,
    ...(await nodeSettings(setup.rpc)),
    ...setup.settings,
  }
  const lines = Object.entries(values).map(([name, value]) => `${name}=${value}`)
  writeFileSync(settings, `${lines.join('\n')}\n`)
  let log = ''
  let child: ChildProcess | undefined
  let exited: Promise<unknown> = Promise.resolve()
  const hasEnded = () => !child || child.exitCode !== null || child.signalCode !== null
  const start = async (...more: string[]): Promise<void> => {
    const [program = '', ...args] = [
      ...(setup.wrap ?? []),
      join(setup.home, 'hookline-server'),
      'serve',
      '--env',
      settings,
      ...more,
    ]
    const started = spawn(program, args, {
      env: { PATH: process.env.PATH },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    child = started
    exited = once(started, 'exit')
    for (const output of [started.stdout, started.stderr]) output.on('data', (text: Buffer) => (log += text.toString()))
    await untilListening(port, hasEnded).catch((error: unknown) => {
      throw new Error(`${String(error)}\n${log}`)
    })
  }
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    internalPort,
    settings,
    dataDir,
    log: () => log,
    ended: () => exited,
    start,
    async standStill(act) {
      child?.kill('SIGSTOP')
      // The name of the program, which may have spaces, is in brackets.
      const state = () => /\) (\w)/.exec(readFileSync(`/proc/${child?.pid}/stat`, 'utf8'))?.[1]
      await vi.waitFor(() => expect(state()).toBe('T'), 10_000)
      try {
        act()
      } finally {
        child?.kill('SIGCONT')
      }
    },
    async end(signal) {
      if (!hasEnded()) child?.kill(signal)
      await exited
      return child?.exitCode ?? null
    },
  }
}

/** Of nodes of test networks, each of which is told apart by its first block. */
export async function nodeSettings(rpc: ServerSetup['rpc']): Promise<Record<string, string>> {
  const settings: Record<string, string> = {}
  for (const blockchain of BLOCKCHAINS) {
    const address = rpc(blockchain)
    if (address === undefined) continue
    const { origin, pathname, username, password } = new URL(address)
    const node = { url: origin + pathname, user: username, password }
    const name = blockchain.toUpperCase()
    settings[`RPC_${name}`] = address
    settings[`GENESIS_${name}`] = String(await call(node, 'getblockhash', [0]))
    settings[`CONFIRMATIONS_${name}`] = '1'
  }
  return settings
}
