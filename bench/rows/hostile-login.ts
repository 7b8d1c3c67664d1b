import { createHash } from 'node:crypto'
import type { Bench } from '../bench.ts'
import { plainRow, type Row } from '../row.ts'
import { CREDENTIALS, signIn } from '../sign-in.ts'
import { type Product, startProduct } from '../start-product.ts'
import { percentile } from '../statistics.ts'
import { FRONT_VARIABLES, type Sent, sendEvenly, sendThroughFront, strangerAddress } from '../strangers.ts'

const GROUP = 'While strangers log in'
const SECONDS = 300
const WRONG_A_SECOND = 200
/** Each wrong login waits some seconds for its turn: with 100 under way only 26 a second were sent. */
const PATIENCE = { mostUnderWay: 1000, timeoutMs: 60_000 }
/** Between two logins of the owner, in milliseconds. */
const PAUSE_MS = 1000
const TARGET_KNOWN_MS = 3000
const TARGET_PROOF_MS = 10_000
const OWNER_KNOWN = '192.0.2.1'
const OWNER_NEW = '192.0.2.2'

/**
 * Logins of an owner on a known device, and on a new one with a proof of work, while wrong logins arrive from another
 * /64 each, half of them for the owner's email address.
 */
export async function measureHostileLogin(bench: Bench, seconds = SECONDS): Promise<Row[]> {
  const product = await startProduct({ ...bench, variables: FRONT_VARIABLES })
  try {
    const { refreshToken } = await signIn(product)
    bench.progress(`hostile/login: ${seconds} s of ${WRONG_A_SECOND} wrong logins a second`)
    const until = Date.now() + seconds * 1000
    const [strangers, known, proven] = await Promise.all([
      sendWrongLogins(product, until),
      logInUntil(until, () => logIn(product, OWNER_KNOWN, { 'Hookline-Device': refreshToken })),
      logInUntil(until, () => logInWithProof(product)),
    ])
    const note = `${strangers.sent} wrong logins: ${strangers.statuses}`
    return [
      loginRow('hostile/login', 'on a known device', TARGET_KNOWN_MS, known, note),
      loginRow('hostile/login-proof', 'on a new device, with a proof', TARGET_PROOF_MS, proven, note),
    ]
  } finally {
    await product.close()
  }
}

interface Logins {
  times: number[]
  failed: number[]
}

/** A failed login counts as the slowest possible, so no row reaches its target with one. */
function loginRow(id: string, what: string, target: number, { times, failed }: Logins, note: string): Row {
  const value = failed.length > 0 ? Number.MAX_SAFE_INTEGER : percentile(times, 0.99)
  const failures = failed.length > 0 ? `; ${failed.length} failed: ${[...new Set(failed)].join(', ')}` : ''
  return plainRow(
    {
      ...{ id, group: GROUP, unit: 'ms', better: 'lower', target },
      what: `a login ${what}, 99 %, beside ${WRONG_A_SECOND} wrong logins a second`,
      note: `${times.length} logins${failures}; ${note}`,
    },
    [value],
  )
}

async function logInUntil(until: number, logIn: () => Promise<number>): Promise<Logins> {
  const logins: Logins = { times: [], failed: [] }
  while (Date.now() < until) {
    const begun = performance.now()
    const status = await logIn()
    if (status === 200) logins.times.push(performance.now() - begun)
    else logins.failed.push(status)
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
  }
  return logins
}

async function post(product: Product, address: string, body: string, headers: Record<string, string> = {}) {
  return await sendThroughFront(product, address, { method: 'POST', path: '/token', body, headers })
}

async function logIn(product: Product, address: string, headers: Record<string, string> = {}): Promise<number> {
  return (await post(product, address, CREDENTIALS, headers)).status
}

async function logInWithProof(product: Product): Promise<number> {
  const first = await post(product, OWNER_NEW, CREDENTIALS)
  if (first.status !== 429) return first.status
  const { puzzle }: { puzzle?: { challenge: string; bits: number } } = JSON.parse(first.body)
  if (!puzzle) return first.status
  return await logIn(product, OWNER_NEW, { 'Hookline-Proof': solve(puzzle) })
}

function solve({ challenge, bits }: { challenge: string; bits: number }): string {
  for (let nonce = 0; ; nonce++) {
    const proof = `${challenge}.${nonce}`
    if (createHash('sha256').update(proof).digest().readUInt32BE(0) >>> (32 - bits) === 0) return proof
  }
}

/** Wrong logins at a constant rate, each from another /64. */
async function sendWrongLogins(product: Product, until: number): Promise<Sent> {
  const send = async (index: number) => {
    const email = index % 2 === 0 ? 'bench@example.com' : `nobody${index}@example.org`
    const { status } = await post(product, strangerAddress(), JSON.stringify({ email, password: 'Incorrect1' }))
    return status
  }
  return await sendEvenly(WRONG_A_SECOND, until, send, PATIENCE)
}
