import { afterAll, beforeAll, inject, it } from 'vitest'
import { type RunningDevnet, startDevnet } from '../../devnet/start-devnet.ts'
import { connect, type Rpc } from '../kit/call-devnet.ts'
import { logIn, signUp } from '../kit/sign-up.ts'
import { tempFolder } from '../kit/temp-folder.ts'
import { ageSearches } from './age-searches.ts'
import { Customer } from './customer.ts'
import { expectAllKept } from './expect-all-kept.ts'
import type {} from './provided.ts'
import { type RunningServer, startServer } from './run-server.ts'

/** `npm run test:large` has a hundred. */
const KILLS = Number(process.env.KILLS ?? 6)
/** Acts in one life of the server, before it is killed in one of them. */
const MOST_ACTS = 9
/** How long (ms) after the beginning of an act the server is killed. */
const MOST_DELAY_MS = 30
/** Logins are asked for again before they are too old for withdrawals. */
const LOGIN_KEPT_MS = 300_000
const EMAIL = 'ada@example.com'
const DEPOSIT = 40

let chains: RunningDevnet
let server: RunningServer
let wallet: Rpc

beforeAll(async () => {
  chains = await startDevnet({ port: 0, blockMs: 200 })
  wallet = connect(chains.devnet, 'Nativecoin')
  const setup = { home: inject('server'), folder: await tempFolder(), rpc: chains.url, mailUrl: chains.outboxUrl }
  server = await startServer(setup)
})
afterAll(async () => {
  await server?.end('SIGTERM')
  await chains?.close()
})

it(`has all that it acknowledged after ${KILLS} kills, and pays nothing twice`, {
  timeout: 60_000 + KILLS * 20_000,
}, async () => {
  const token = await signUp({ url: server.url, chains }, EMAIL)
  const customer = new Customer(server.url, wallet, token)
  await customer.deposit(DEPOSIT)
  let loggedIn = Date.now()
  const points: string[] = []
  for (let life = 1; life <= KILLS; life++) {
    const [last, delay] = [1 + Math.floor(Math.random() * MOST_ACTS), Math.floor(Math.random() * MOST_DELAY_MS)]
    let begun = 0
    let killed: Promise<unknown> | undefined
    customer.began = (act) => {
      if (++begun !== last) return
      points.push(`${life}: ${delay} ms after the beginning of ${act}`)
      killed = new Promise((resolve) => setTimeout(resolve, delay)).then(() => server.end('SIGKILL'))
    }
    while (killed === undefined) await customer.act(life).catch(customer.endedBy(() => killed !== undefined))
    await killed
    customer.began = () => {}
    await server.start()
    if (Date.now() - loggedIn > LOGIN_KEPT_MS) {
      customer.token = await logIn(server.url, EMAIL)
      loggedIn = Date.now()
    }
  }
  console.log(`killed\n${points.join('\n')}`)
  await server.end('SIGKILL')
  ageSearches(server.dataDir)
  await server.start()
  customer.token = await logIn(server.url, EMAIL)
  await expectAllKept(customer, wallet, DEPOSIT)
})
