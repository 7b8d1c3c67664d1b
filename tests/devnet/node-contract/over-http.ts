import { describe, expect, it } from 'vitest'
import { at, call, list, post } from '../../kit/rpc-client.ts'
import { type Subject, UNKNOWN } from './subject.ts'

/** What the transport of JSON-RPC answers. */
export function describeOverHttp(on: Subject): void {
  describe('over HTTP', () => {
    it('wants the user and the password', async () => {
      const body = '{"method":"getblockcount","params":[],"id":1}'
      const without = await fetch(on.node.url, { method: 'POST', body })
      const wrong = await post(on.node, body, `Basic ${btoa(`${on.node.user}:wrong`)}`)
      expect([without.status, wrong.status]).toEqual([401, 401])
      expect(without.headers.get('WWW-Authenticate')).toBe('Basic realm="jsonrpc"')
    })

    it('gives result, error and the id back', async () => {
      for (const id of ['text', 7, null]) {
        const answer = await post(on.node, JSON.stringify({ method: 'getblockcount', params: [], id }))
        expect(answer.status).toBe(200)
        expect(answer.headers.get('Content-Type')).toContain('application/json')
        expect(JSON.parse(answer.text)).toEqual({ result: expect.any(Number), error: null, id })
      }
    })

    it('takes a call without params', async () => {
      expect((await post(on.node, '{"method":"getblockcount","id":1}')).status).toBe(200)
    })

    it('answers an unknown method with 404, other errors with 500', async () => {
      const unknown = await post(on.node, '{"method":"nosuch","params":[],"id":1}')
      expect(unknown.status).toBe(404)
      expect(JSON.parse(unknown.text)).toEqual({
        result: null,
        error: { code: -32601, message: 'Method not found' },
        id: 1,
      })
      const failed = await post(on.node, `{"method":"getblock","params":["${UNKNOWN}"],"id":1}`)
      expect(failed.status).toBe(500)
      expect(JSON.parse(failed.text).error).toEqual({ code: -5, message: 'Block not found' })
    })

    it('answers what is no JSON with a parse error, and what is no request with an invalid one', async () => {
      const broken = await post(on.node, '{"method":')
      expect(broken.status).toBe(500)
      expect(JSON.parse(broken.text).error.code).toBe(-32700)
      const noMethod = await post(on.node, '{"params":[],"id":1}')
      expect(noMethod.status).toBe(400)
      expect(JSON.parse(noMethod.text).error).toEqual({ code: -32600, message: 'Missing method' })
    })

    it('answers a batch in order with 200, errors inside', async () => {
      const batch = [
        { method: 'getblockcount', params: [], id: 'a' },
        { method: 'getblock', params: [UNKNOWN], id: 'b' },
        { method: 'nosuch', params: [], id: 'c' },
      ]
      const { status, text: body } = await post(on.node, JSON.stringify(batch))
      expect(status).toBe(200)
      const replies = list(JSON.parse(body))
      expect(replies.map((reply) => at(reply)('id'))).toEqual(['a', 'b', 'c'])
      expect(replies.map((reply) => at(reply)('error', 'code'))).toEqual([undefined, -5, -32601])
      expect((await post(on.node, '[]')).text.trim()).toBe('[]')
    })

    it('answers POST only', async () => {
      const response = await fetch(on.node.url, {
        headers: { Authorization: `Basic ${btoa(`${on.node.user}:${on.node.password}`)}` },
      })
      expect(response.status).toBe(405)
    })

    it('takes arguments by name and refuses names it does not know', async () => {
      const hash = await on.bench.call('getblockhash', 1)
      expect(await call(on.node, 'getblockhash', { height: 1 })).toBe(hash)
      await expect(call(on.node, 'getblockhash', { depth: 1 })).rejects.toMatchObject({
        code: -8,
        message: 'Unknown named parameter depth',
      })
    })

    it('refuses arguments of the wrong type, and too few or too many', async () => {
      expect((await on.bench.refusal('getblockhash', 'one')).message).toMatch(on.wording.wrongType)
      expect((await on.bench.refusal('getblockhash')).code).toBe(-1)
      expect((await on.bench.refusal('getblockhash', 1, 2)).code).toBe(-1)
    })

    it('finds wallets by URL and refuses unknown ones with -18', async () => {
      const known = { ...on.node, url: `${on.node.url.replace(/\/$/, '')}/wallet/` }
      expect(at(await call(known, 'getwalletinfo'))('walletname')).toBe('')
      const unknown = { ...on.node, url: `${on.node.url.replace(/\/$/, '')}/wallet/nosuch` }
      await expect(call(unknown, 'getbalance')).rejects.toMatchObject({
        code: -18,
        message: 'Requested wallet does not exist or is not loaded',
        status: 500,
      })
    })

    it('writes amounts with eight decimals', async () => {
      const answer = await post(on.node, '{"method":"getbalance","params":[],"id":1}')
      expect(answer.text).toMatch(/"result":\d+\.\d{8},/)
    })
  })
}
