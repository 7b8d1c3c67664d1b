import { describe, expect, it } from 'vitest'
import { readStripped } from '../../../../../protocol/transaction.ts'
import { store, useScriptedNodes } from '../../../scripted-node.ts'
import { get, page, post } from './ask.ts'

const nodes = useScriptedNodes()
const bitcoin = [nodes['bitcoin-a.test'], nodes['bitcoin-b.test']]

describe('the raw transactions', () => {
  it('come without witness, in the order asked for, and each hashes to its txid', async () => {
    const txids = store(bitcoin, page(), 20)
    const answers = [
      await get(`/v0/tx/Bitcoin/${txids.join(',')}`),
      await post('/v0/tx', { blockchain: 'Bitcoin', txids }),
    ]
    for (const response of answers) {
      expect(response.headers.get('Content-Type')).toBe('application/octet-stream')
      const bytes = new Uint8Array(await response.arrayBuffer())
      let offset = 0
      for (const txid of txids) {
        const transaction = readStripped(bytes, offset)
        expect(transaction.txid).toBe(txid)
        expect(transaction.bytes.length).toBe(transaction.end - offset)
        offset = transaction.end
      }
      expect(offset).toBe(bytes.length)
    }
  })

  it('give the data of one as JSON at /v0/chunk', async () => {
    const [txid = ''] = store(bitcoin, Uint8Array.of(0xca, 0xfe))
    const response = await get(`/v0/chunk/Bitcoin/${txid}`)
    expect(await response.json()).toEqual({ hex: 'cafe' })
  })

  it('are one each at /v0/chunk', async () => {
    expect((await get(`/v0/chunk/Bitcoin/${'a'.repeat(64)},${'b'.repeat(64)}`)).status).toBe(400)
  })
})
