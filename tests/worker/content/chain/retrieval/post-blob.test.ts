import { describe, expect, it } from 'vitest'
import { fromHex, toHex } from '../../../../../protocol/bytes.ts'
import { carry, carryScripts, store, useScriptedNodes } from '../../../scripted-node.ts'
import { code, page, post } from './ask.ts'

const nodes = useScriptedNodes()
const bitcoin = [nodes['bitcoin-a.test'], nodes['bitcoin-b.test']]

describe('POST /v0/blob', () => {
  it('gives the stored bytes of all transactions, in order, as hex', async () => {
    const stored = page()
    const response = await post('/v0/blob', { blockchain: 'Bitcoin', txids: store(bitcoin, stored) })
    expect(response.status).toBe(200)
    expect(response.headers.get('Content-Type')).toBe('text/plain')
    expect(response.headers.get('Cache-Control')).toBe('public, max-age=31536000, immutable, no-transform')
    expect(response.headers.get('Access-Control-Allow-Origin')).toBe('*')
    expect(response.headers.get('Content-Security-Policy')).toBe('sandbox allow-scripts allow-forms allow-popups')
    expect(response.headers.get('Server-Timing')).toMatch(/^cache;desc=miss, rpc;dur=\d+$/)
    expect(await response.text()).toBe(toHex(stored))
  })

  it('takes txids in upper case', async () => {
    const txids = store(bitcoin, page())
    const response = await post('/v0/blob', { blockchain: 'Bitcoin', txids: txids.map((txid) => txid.toUpperCase()) })
    expect(response.status).toBe(200)
  })

  it('repeats the data of a txid that stands in the list twice', async () => {
    const [txid = ''] = store(bitcoin, Uint8Array.of(1, 2, 3))
    const response = await post('/v0/blob', { blockchain: 'Bitcoin', txids: [txid, txid] })
    expect(await response.text()).toBe('010203010203')
  })

  it('takes every push of every OP_RETURN output, and nothing of a broken one', async () => {
    const script = (hex: string) => fromHex(hex) ?? new Uint8Array()
    const { txid, hex } = carryScripts([
      script('6a02aabb00034c01cc'.replace('0003', '')), // two pushes, direct and PUSHDATA1
      script('6a05aa'), // ends inside a push
      script('76a914'), // no OP_RETURN
      script('6a4f5160'), // OP_1NEGATE OP_1 OP_16
      script('6a50'), // OP_RESERVED
    ])
    for (const node of bitcoin) node.transactions.set(txid, hex)
    const response = await post('/v0/blob', { blockchain: 'Bitcoin', txids: [txid] })
    expect(await response.text()).toBe('aabbcc810110')
  })

  const missing: [string, () => string[]][] = [
    ['one transaction does not exist', () => [...store(bitcoin, page()), 'f'.repeat(64)]],
    [
      'one transaction has no data',
      () => {
        const { txid, hex } = carryScripts([Uint8Array.of(0x51)])
        for (const node of bitcoin) node.transactions.set(txid, hex)
        return [...store(bitcoin, page()), txid]
      },
    ],
  ]
  it.each(missing)('is a 404 without a body when %s', async (_, txids) => {
    const response = await post('/v0/blob', { blockchain: 'Bitcoin', txids: txids() })
    expect(response.status).toBe(404)
    expect(response.headers.get('Cache-Control')).toBe('no-store')
    expect(await response.text()).toBe('')
  })

  it('does not remember a 404: the transaction may arrive in a second', async () => {
    const { txid, hex } = carry(page())
    const body = { blockchain: 'Bitcoin', txids: [txid] }
    expect((await post('/v0/blob', body)).status).toBe(404)
    for (const node of bitcoin) node.transactions.set(txid, hex)
    expect((await post('/v0/blob', body)).status).toBe(200)
  })

  const refused: [string, unknown, string][] = [
    ['a chain in lower case', { blockchain: 'bitcoin', txids: ['a'.repeat(64)] }, 'blockchain'],
    ['IPFS, naming its path', { blockchain: 'IPFS', txids: ['a'.repeat(64)] }, '/ipfs/'],
    ['a missing chain', { txids: ['a'.repeat(64)] }, 'blockchain'],
    ['missing txids', { blockchain: 'Bitcoin' }, 'txids'],
    ['no txids', { blockchain: 'Bitcoin', txids: [] }, 'txids'],
    ['a short txid', { blockchain: 'Bitcoin', txids: ['a'.repeat(63)] }, 'txids[0]'],
    ['a txid that is a number', { blockchain: 'Bitcoin', txids: [7] }, 'txids[0]'],
    ['more txids than 15,000', { blockchain: 'Bitcoin', txids: new Array(15_001).fill('a'.repeat(64)) }, '15000'],
  ]
  it.each(refused)('refuses %s with a 400', async (_, body, named) => {
    const response = await post('/v0/blob', body)
    const answer = (await response.json()) as { message: string; code: string }
    expect(response.status).toBe(400)
    expect(answer.code).toBe('invalid_field')
    expect(answer.message).toContain(named)
  })

  it('refuses what is no JSON, no object, or not sent as JSON', async () => {
    expect(await code(await post('/v0/blob', '{'))).toBe('invalid_json')
    expect(await code(await post('/v0/blob', '[]'))).toBe('invalid_json')
    const plain = await post('/v0/blob', '{}', { 'Content-Type': 'text/plain' })
    expect(plain.status).toBe(415)
  })

  it('answers large content with every digit of it, read at once or a little at a time', async () => {
    const bytes = Uint8Array.from({ length: (3 << 20) + 17 }, (_, index) => (index * 2_654_435_761) >>> 13)
    const body = { blockchain: 'Bitcoin', txids: store(bitcoin, bytes, 99_000) }
    const whole = toHex(bytes)
    expect((await (await post('/v0/blob', body)).text()) === whole).toBe(true)
    const slow = await post('/v0/blob', body)
    const decoder = new TextDecoder()
    let text = ''
    for await (const part of slow.body ?? []) {
      text += decoder.decode(part)
      await scheduler.wait(0)
    }
    expect(text === whole).toBe(true)
  })

  it('refuses a body over 1 MiB before looking at it', async () => {
    const response = await post('/v0/blob', `{"x":"${'y'.repeat(1 << 20)}"}`, { 'Content-Type': 'text/plain' })
    expect(response.status).toBe(413)
  })
})
