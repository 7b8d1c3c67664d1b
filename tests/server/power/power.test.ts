import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, inject, it } from 'vitest'
import { type RunningDevnet, startDevnet } from '../../../devnet/start-devnet.ts'
import { connect, type Rpc } from '../../kit/call-devnet.ts'
import { logIn, signUp } from '../../kit/sign-up.ts'
import { tempFolder } from '../../kit/temp-folder.ts'
import { ageSearches } from '../age-searches.ts'
import { Customer } from '../customer.ts'
import { expectAllKept } from '../expect-all-kept.ts'
import type {} from '../provided.ts'
import { isInstalled } from '../run-proxy.ts'
import { type RunningServer, setUpServer } from '../run-server.ts'
import { recordHome } from './record-home.ts'
import { Recorder } from './recorder.ts'

/** `npm run test:large` has fifty. */
const CUTS = Number(process.env.POWER_CUTS ?? 10)
/** Of the first start on an empty folder, before it serves. */
const FIRST_SYNCS = 40
/** In one life of the server, its start included, before the power goes. */
const MOST_SYNCS = 120
/** How long (ms) a server may need to end whose connections broke. */
const ENDING_MS = 30_000
/** Logins are asked for again before they are too old for withdrawals. */
const LOGIN_KEPT_MS = 300_000
const EMAIL = 'ada@example.com'
const DEPOSIT = 40

let chains: RunningDevnet
let server: RunningServer
let power: Recorder
let wallet: Rpc

// Without gcc nothing is proved: CI installs it, and says so where it cannot.
describe.runIf(isInstalled('gcc'))('a disk that has only what was synced when the power goes', () => {
  beforeAll(async () => {
    chains = await startDevnet({ port: 0, blockMs: 200 })
    wallet = connect(chains.devnet, 'Nativecoin')
    const folder = await tempFolder()
    mkdirSync(join(folder, 'data'))
    power = new Recorder(join(folder, 'data'), folder)
    const home = join(folder, 'home')
    recordHome(inject('server'), home, power)
    const wrap = ['env', ...power.env]
    server = await setUpServer({ home, wrap, folder, rpc: chains.url, mailUrl: chains.outboxUrl })
  })
  afterAll(async () => {
    await server?.end('SIGTERM')
    await chains?.close()
  })

  /** Runs the server until its power goes at a chosen sync, while `act` is done again and again. */
  async function live(mostSyncs: number, act: () => Promise<void>): Promise<void> {
    const last = 1 + Math.floor(Math.random() * mostSyncs)
    power.begin(last)
    let isCut = false
    const orEnded = async (error: unknown) => {
      await Promise.race([server.ended(), sleep(ENDING_MS, undefined, { ref: false })])
      if (power.syncs < last) throw error
      isCut = true
    }
    await server.start().catch(orEnded)
    while (!isCut) await act().catch(orEnded)
    console.log(`cut after ${last} syncs: ${power.loseUnsynced()} events`)
  }

  it(`has all that was acknowledged after ${CUTS} cuts, and nothing is paid twice`, {
    timeout: 60_000 + CUTS * 20_000,
  }, async () => {
    await live(FIRST_SYNCS, async () => await sleep(10))
    power.begin(0)
    await server.start()
    const customer = new Customer(server.url, wallet, await signUp({ url: server.url, chains }, EMAIL))
    await customer.deposit(DEPOSIT)
    await server.end('SIGKILL')
    power.loseUnsynced()
    let loggedIn = Date.now()
    for (let cut = 3; cut <= CUTS; cut++) {
      await live(MOST_SYNCS, async () => {
        if (Date.now() - loggedIn > LOGIN_KEPT_MS) {
          customer.token = await logIn(server.url, EMAIL)
          loggedIn = Date.now()
        }
        await customer.act(cut)
      })
    }
    ageSearches(server.dataDir)
    power.begin(0)
    await server.start()
    customer.token = await logIn(server.url, EMAIL)
    await expectAllKept(customer, wallet, DEPOSIT)
  })
})
