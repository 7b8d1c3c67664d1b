import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createDevnet, type Devnet } from '../../devnet/create-devnet.ts'
import { writeStamp } from '../../devnet/others/transactions-of-others.ts'
import { toHex } from '../../protocol/bytes.ts'
import { encodeTransaction } from '../../protocol/transaction.ts'
import { connect, nth, type Rpc, signed, unspent } from '../kit/call-devnet.ts'
import { at, text } from '../kit/rpc-client.ts'

let dataDir: string
let open: Devnet[]

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'hookline-devnet-'))
  open = []
})

afterEach(() => {
  for (const devnet of open) devnet.close()
  rmSync(dataDir, { recursive: true, force: true })
})

function start(folder = dataDir): Devnet {
  const devnet = createDevnet({ dataDir: folder, chains: ['Bitcoin'], now: () => 1_800_000_000_000 })
  open.push(devnet)
  return devnet
}

/** Everything a caller can see of a node. */
function picture(rpc: Rpc): unknown {
  return [
    rpc('getbestblockhash'),
    rpc('getrawmempool', true),
    rpc('listunspent', 0),
    rpc('listsinceblock'),
    rpc('getchaintips'),
    rpc('listwallets'),
  ]
}

/** A little of everything that changes a node. */
function live(devnet: Devnet): void {
  const rpc = connect(devnet, 'Bitcoin')
  const address = text(rpc('getnewaddress', 'first'))
  rpc('sendtoaddress', address, 1.5)
  rpc('generatetoaddress', 2, address)
  const coin = nth(unspent(rpc), 0)
  const first = text(rpc('sendrawtransaction', signed(rpc, [coin], { [address]: 49.9999 })))
  rpc('sendrawtransaction', signed(rpc, [coin], { [address]: 49.999 }))
  const [hash] = [rpc('generatetoaddress', 1, address)].flat()
  rpc('createwallet', 'third')
  rpc('invalidateblock', hash)
  rpc('generatetoaddress', 2, text(rpc('getnewaddress', '', 'legacy')))
  rpc('reconsiderblock', hash)
  const dropped = text(rpc('sendtoaddress', address, 2))
  rpc('sendtoaddress', address, 3)
  devnet.node('Bitcoin').evict([dropped, first])
  const { transactions } = writeStamp({ ...nth(unspent(rpc), 1), amount: 100_000_000n }, new Uint8Array(70))
  rpc(
    'devmine',
    transactions.map((transaction) => toHex(encodeTransaction(transaction))),
  )
}

describe('an embedded node with a data folder', () => {
  it('is found as it was left', () => {
    const before = start()
    live(before)
    expect(picture(connect(start(), 'Bitcoin'))).toEqual(picture(connect(before, 'Bitcoin')))
  })

  it('gives no address twice, whatever happened in between', () => {
    const first = text(connect(start(), 'Bitcoin')('getnewaddress'))
    const second = text(connect(start(), 'Bitcoin')('getnewaddress'))
    expect(second).not.toBe(first)
    expect(at(connect(start(), 'Bitcoin')('getaddressinfo', first))('ismine')).toBe(true)
  })

  it('starts from a file cut off anywhere, with all that was written whole', () => {
    const node = start()
    live(node)
    const bytes = readFileSync(join(dataDir, 'Bitcoin.jsonl'))
    const lines = bytes.toString().trimEnd().split('\n').length
    const folder = join(dataDir, 'cut')
    for (let cut = bytes.length; cut > 0; cut -= 37) {
      mkdirSync(folder, { recursive: true })
      writeFileSync(join(folder, 'Bitcoin.jsonl'), bytes.subarray(0, cut))
      const rpc = connect(start(folder), 'Bitcoin')
      expect(text(rpc('getnewaddress'))).toMatch(/^bcrt1/)
      const kept = readFileSync(join(folder, 'Bitcoin.jsonl')).toString().trimEnd().split('\n').length
      expect(kept).toBeLessThanOrEqual(lines + 1)
    }
    copyFileSync(join(dataDir, 'Bitcoin.jsonl'), join(folder, 'Bitcoin.jsonl'))
    expect(picture(connect(start(folder), 'Bitcoin'))).toEqual(picture(connect(node, 'Bitcoin')))
  })

  it('loses nothing it has answered when it is killed', async () => {
    const script = `
      import { createDevnet } from ${JSON.stringify(join(import.meta.dirname, '../../devnet/create-devnet.ts'))}
      const devnet = createDevnet({ dataDir: process.argv[1], chains: ['Bitcoin'] })
      const rpc = (method, params) => JSON.parse(devnet.handle('Bitcoin', JSON.stringify({ id: 1, method, params })).body).result
      for (let sent = 1; ; sent++) {
        const address = rpc('getnewaddress', [])
        const txid = rpc('sendtoaddress', [address, 0.01])
        console.log(address, txid)
        if (sent % 3 === 0) rpc('generatetoaddress', [1, address])
      }`
    const child = spawn(process.execPath, ['--input-type=module', '-e', script, dataDir], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const answered: string[] = []
    const reader = createInterface(child.stdout)
    reader.on('line', (line) => {
      answered.push(line)
      if (answered.length === 40) child.kill('SIGKILL')
    })
    await once(child, 'exit')
    reader.close()
    expect(answered.length).toBeGreaterThanOrEqual(40)
    const rpc = connect(start(), 'Bitcoin')
    for (const line of answered.slice(0, 40)) {
      const [address, txid] = line.split(' ')
      expect(at(rpc('gettransaction', txid))('txid')).toBe(txid)
      expect(at(rpc('getaddressinfo', address))('ismine')).toBe(true)
    }
  })
})
