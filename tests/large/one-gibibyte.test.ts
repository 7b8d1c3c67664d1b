import { createHash, randomBytes } from 'node:crypto'
import { closeSync, createReadStream, openSync, readFileSync, rmSync, writeSync } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type RunOptions, User } from '../cli/run-hookline.ts'
import { connect } from '../kit/call-devnet.ts'
import { PASSWORD, signUp } from '../kit/sign-up.ts'
import { type RunningWorker, startWorker } from '../kit/start-worker.ts'

const EMAIL = 'ada@example.com'
const MIB = 2 ** 20
const SIZE = 1024 * MIB
/** Far less than the content: Node alone needs some 60 MiB, and four chunks of 1 MiB are sent at once. */
const MOST_MEMORY = 320 * MIB

let worker: RunningWorker
let mining: ReturnType<typeof setInterval>

beforeAll(async () => {
  worker = await startWorker()
  await signUp(worker, EMAIL)
  mining = setInterval(() => worker.chains.devnet.mineWaiting(), 200)
})
afterAll(async () => {
  clearInterval(mining)
  await worker.close()
})

/** Writes bytes that no two blocks have in common. */
function writeNoise(path: string): void {
  const block = randomBytes(MIB)
  const file = openSync(path, 'w')
  for (let index = 0; index < SIZE / MIB; index++) {
    block.writeUInt32LE(index)
    writeSync(file, block)
  }
  closeSync(file)
}

async function digestOf(path: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(path), hash)
  return hash.digest('hex')
}

it('the command uploads 1 GiB to IPFS and downloads it again, with flat memory', async () => {
  const user = new User(worker.url, { HOOKLINE_KEY: '' })
  const env = {
    NODE_OPTIONS: `--import=${new URL('../kit/report-usage.mjs', import.meta.url).href}`,
    USAGE_FILE: user.path('usage.json'),
  }
  /** Peak of the memory of a run, in bytes. */
  const measure = async (args: string[], options: RunOptions = {}) => {
    const began = Date.now()
    const ran = await user.json(args, { env, ...options })
    expect(ran.code, ran.stderr.slice(-2000)).toBe(0)
    const { maxRSS }: { maxRSS: number } = JSON.parse(readFileSync(user.path('usage.json'), 'utf8'))
    console.log(`${args[0]}: ${Math.round((Date.now() - began) / 100) / 10} s, ${Math.round(maxRSS / 1024)} MiB`)
    return { result: ran.document.result, memory: maxRSS * 1024 }
  }
  await user.run(['login', '--email', EMAIL, '--password-stdin'], { input: PASSWORD })
  writeNoise(user.path('large.bin'))
  const digest = await digestOf(user.path('large.bin'))
  const put = await measure(['put', 'large.bin', '--to', 'ipfs', '--max-fee', '1000'])
  const [payment] = put.result.payments
  connect(worker.chains.devnet, 'Nativecoin')('sendtoaddress', payment.address, payment.amount)
  const stored = await user.json(['put', 'large.bin', '--to', 'ipfs', '--max-fee', '1000', '--wait'])
  expect(stored.document).toMatchObject({ ok: true, result: { state: 'stored' } })
  rmSync(user.path('large.bin'))
  const [{ cid }] = stored.document.result.items
  const got = await measure(['get', cid, '-o', 'back.bin'])
  expect(await digestOf(user.path('back.bin'))).toBe(digest)
  expect(put.memory).toBeLessThan(MOST_MEMORY)
  expect(got.memory).toBeLessThan(MOST_MEMORY)
})
