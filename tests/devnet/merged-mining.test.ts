import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createDevnet, type Devnet } from '../../devnet/create-devnet.ts'
import { fromHex } from '../../protocol/bytes.ts'
import { readHeader } from '../../reader/proof/block-header.ts'
import { scryptHash, workOf } from '../../reader/proof/chain-work.ts'
import { checkHeaders } from '../../reader/proof/check-headers.ts'
import { connect, type Rpc, refusal } from '../kit/call-devnet.ts'
import { at, list, text } from '../kit/rpc-client.ts'

const NOW = 1_800_000_000

let dataDir: string
let open: Devnet[]
let rpc: Rpc

function start(): Rpc {
  const devnet = createDevnet({ dataDir, chains: ['Dogecoin', 'Bitcoin'], now: () => NOW * 1000 })
  open.push(devnet)
  return connect(devnet, 'Dogecoin')
}

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'hookline-devnet-'))
  open = []
  rpc = start()
})

afterEach(() => {
  for (const devnet of open) devnet.close()
  rmSync(dataDir, { recursive: true, force: true })
})

const mine = (count: number) => list(rpc('generatetoaddress', count, text(rpc('getnewaddress')))).map(text)
const headerOf = (hash: string) => fromHex(text(rpc('getblockheader', hash, false))) ?? new Uint8Array(0)

function check(headers: Uint8Array[]): void {
  const rules = { work: workOf('Dogecoin'), checkpoint: undefined, now: NOW }
  for (const _ of checkHeaders(headers, rules));
}

describe('merged mining on the embedded Dogecoin node', () => {
  it('makes headers whose AuxPoW the rules for readers accept, between others', () => {
    const before = mine(1)
    rpc('devmergemine', true)
    const merged = mine(8)
    rpc('devmergemine', false)
    const after = mine(1)
    const headers = [...before, ...merged, ...after].map(headerOf)
    expect(() => check(headers)).not.toThrow()
    expect(headers.map(({ length }) => length > 80)).toEqual([false, ...merged.map(() => true), false])
    expect(headers.map((bytes) => readHeader(bytes).version)).toEqual([
      0x00620004,
      ...merged.map(() => 0x00620104),
      0x00620004,
    ])
  })

  it('leaves the work to the parent: the hashes of the blocks themselves are over the target too', () => {
    rpc('devmergemine', true)
    const own = mine(20).map((hash) => scryptHash(headerOf(hash).subarray(0, 80)))
    expect(own.some((hash) => (hash[31] ?? 0) >= 0x80)).toBe(true)
  })

  it('has the AuxPoW in the bytes of the block, its size and its description', () => {
    rpc('devmergemine', true)
    const [hash = ''] = mine(1)
    const header = text(rpc('getblockheader', hash, false))
    const block = text(rpc('getblock', hash, 0))
    const described = at(rpc('getblock', hash))
    expect(block.slice(0, header.length + 2)).toBe(`${header}01`)
    expect(described('size')).toBe(block.length / 2)
    const auxpow = at(described('auxpow'))
    expect(header.endsWith(text(auxpow('parentblock')))).toBe(true)
    const coinbase = text(auxpow('tx', 'hex'))
    expect(header.slice(160, 160 + coinbase.length)).toBe(coinbase)
    expect([auxpow('index'), list(auxpow('merklebranch')).length, list(auxpow('chainmerklebranch')).length]).toEqual([
      0, 4, 3,
    ])
    expect(at(rpc('getblockheader', hash))('auxpow')).toBeUndefined()
    expect(readHeader(headerOf(hash)).hash).toBe(hash)
  })

  it('is found again after a restart', () => {
    rpc('devmergemine', true)
    const [hash = ''] = mine(2)
    const block = rpc('getblock', hash, 0)
    rpc = start()
    expect(rpc('getblock', hash, 0)).toEqual(block)
    expect(headerOf(mine(1)[0] ?? '')).toHaveLength(80)
  })

  it('is refused on a chain without it', () => {
    const [devnet] = open
    if (!devnet) throw new Error('no devnet')
    expect(refusal(() => connect(devnet, 'Bitcoin')('devmergemine', true))).toMatchObject({ code: -8 })
  })
})
