import { describe, expect, it, vi } from 'vitest'
import { toHex } from '../../../../../protocol/bytes.ts'
import { MWEB_ONLY, withFlag } from '../../../../kit/with-flag.ts'
import hogEx from '../../../../protocol/fixtures/litecoin-hogex.json' with { type: 'json' }
import { carry, type ScriptedNode, store, useScriptedNodes } from '../../../scripted-node.ts'
import { code, get, page, post } from './ask.ts'

const nodes = useScriptedNodes()
const nativecoin = nodes['nativecoin.test']
const LATER = '. Use gettransaction for wallet transactions.'
const INDEXING = `No such mempool transaction. Blockchain transactions are still in the process of being indexed${LATER}`
const NO_INDEX = `No such mempool transaction. Use -txindex to enable blockchain transaction queries${LATER}`

/** Has a node refuse what it does not have with this sentence. */
function refuseWith(node: ScriptedNode, message: string, errorCode = -5): void {
  node.misbehave = async (answer) => {
    const outcomes: { error: unknown }[] = await answer().json()
    return Response.json(
      outcomes.map((outcome) => (outcome.error ? { ...outcome, error: { code: errorCode, message } } : outcome)),
    )
  }
}

let serial = 0
const unknown = () => (++serial).toString(16).padStart(64, 'e')

describe.each([
  ['still indexes', INDEXING],
  ['has no index', NO_INDEX],
  ['has no index, as newer versions say it', NO_INDEX.replace('-txindex', '-txindex or provide a block hash')],
])('a node that %s', (_, message) => {
  it.each(['/v0/tx/Nativecoin/', '/v0/web/Nativecoin/', '/v0/chunk/Nativecoin/'])(
    'makes 502 at %s, which may be asked again',
    async (path) => {
      vi.spyOn(console, 'error').mockReturnValue()
      refuseWith(nativecoin, message)
      const response = await get(path + unknown())
      expect([response.status, await code(response)]).toEqual([502, 'node_not_indexed'])
      expect(response.headers.get('Cache-Control')).toBe('no-store')
      expect(response.headers.get('Retry-After')).toBe('5')
    },
  )

  it('makes 502 for a list of which it has one transaction, and nothing of that is kept', async () => {
    vi.spyOn(console, 'error').mockReturnValue()
    const [first, second] = [carry(Uint8Array.of(1)), carry(Uint8Array.of(2))]
    nativecoin.transactions.set(first.txid, first.hex)
    refuseWith(nativecoin, message)
    const body = { blockchain: 'Nativecoin', txids: [first.txid, second.txid] }
    expect((await post('/v0/blob', body)).status).toBe(502)
    nativecoin.transactions.set(second.txid, second.hex)
    nativecoin.misbehave = undefined
    expect(await (await post('/v0/blob', body)).text()).toBe('0102')
  })

  it('does not speak for another node, which has the transaction', async () => {
    refuseWith(nodes['bitcoin-a.test'], message)
    const stored = page()
    const txids = store([nodes['bitcoin-b.test']], stored)
    for (let turn = 0; turn < 2; turn++) {
      const response = await post('/v0/blob', {
        blockchain: 'Bitcoin',
        txids: turn === 0 ? txids : [...txids, ...txids],
      })
      expect(await response.text()).toBe(toHex(stored).repeat(turn + 1))
    }
  })

  it('leaves the question open where the other node has nothing', async () => {
    vi.spyOn(console, 'error').mockReturnValue()
    refuseWith(nodes['bitcoin-a.test'], message)
    for (let turn = 0; turn < 2; turn++) {
      const response = await get(`/v0/tx/Bitcoin/${unknown()}`)
      expect([response.status, await code(response)]).toEqual([502, 'node_not_indexed'])
    }
  })
})

describe('a node that refuses with', () => {
  it.each([
    ['the sentence for no transaction', -5, `No such mempool or blockchain transaction${LATER}`, 404],
    [
      'the genesis block',
      -5,
      'The genesis block coinbase is not considered an ordinary transaction and cannot be retrieved',
      404,
    ],
    ['a sentence that is not known', -5, 'No information available about transaction', 502],
    ['data that is pruned', -1, 'Block not available (pruned data)', 502],
    ['no such method', -32601, 'Method not found', 502],
    ['its start', -28, 'Loading block index…', 502],
  ])('%s (%i: %s) makes %i', async (_, errorCode, message, status) => {
    vi.spyOn(console, 'error').mockReturnValue()
    refuseWith(nativecoin, message, errorCode)
    expect((await get(`/v0/tx/Nativecoin/${unknown()}`)).status).toBe(status)
  })
})

describe('a transaction with another flag than that of the witness', () => {
  it.each(['/v0/tx/Nativecoin/', '/v0/web/Nativecoin/', '/v0/chunk/Nativecoin/'])(
    'is 404 at %s where it holds no data, as a HogEx of Litecoin',
    async (path) => {
      nativecoin.transactions.set(hogEx.txid, hogEx.raw)
      expect((await get(path + hogEx.txid)).status).toBe(404)
    },
  )

  it('is 404 where it is on the extension block alone', async () => {
    const txid = unknown()
    nativecoin.transactions.set(txid, MWEB_ONLY)
    expect((await get(`/v0/web/Nativecoin/${txid}`)).status).toBe(404)
  })

  it.each([8, 2, 128])('is read where it holds data, with flag %i', async (flag) => {
    const { txid, hex } = carry(Uint8Array.of(0xca, 0xfe, flag))
    nativecoin.transactions.set(txid, withFlag(hex, flag, new Uint8Array(700).fill(1)))
    const response = await get(`/v0/chunk/Nativecoin/${txid}`)
    expect(await response.json()).toEqual({ hex: `cafe${flag.toString(16).padStart(2, '0')}` })
  })

  it('is 502 where it is not the one that was asked for', async () => {
    vi.spyOn(console, 'error').mockReturnValue()
    const txid = unknown()
    nativecoin.transactions.set(txid, hogEx.raw)
    const response = await get(`/v0/tx/Nativecoin/${txid}`)
    expect([response.status, await code(response)]).toEqual([502, 'node_bad_answer'])
  })
})
