import { env } from 'cloudflare:test'
import { exports } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { toHex } from '../../../../../protocol/bytes.ts'
import { store, useScriptedNodes } from '../../../scripted-node.ts'
import { code, get, page, post } from './ask.ts'

const nodes = useScriptedNodes()
const bitcoin = [nodes['bitcoin-a.test'], nodes['bitcoin-b.test']]

describe('the edge of the API', () => {
  it('names the allowed methods on a known path', async () => {
    const response = await get('/v0/web')
    expect(response.status).toBe(405)
    expect(response.headers.get('Allow')).toBe('POST')
    expect(await code(response)).toBe('method_not_allowed')
  })

  it('answers any origin on retrieval, preflight included', async () => {
    const headers = { Origin: 'https://any.example', 'Access-Control-Request-Method': 'POST' }
    const response = await get('/v0/web', { method: 'OPTIONS', headers })
    expect(response.status).toBe(204)
    expect(response.headers.get('Access-Control-Allow-Origin')).toBe('*')
    expect(response.headers.get('Access-Control-Allow-Credentials')).toBeNull()
    expect(response.headers.get('X-Content-Type-Options')).toBe('nosniff')
  })

  it('asks for a body, not for a media type, where there is none', async () => {
    expect((await get('/v0/web', { method: 'POST' })).status).toBe(400)
  })

  it('says nosniff and why at addresses where nothing is', async () => {
    for (const url of ['https://storage.example/', 'https://nothing.storage.example/']) {
      const response = await exports.default.fetch(url)
      expect(response.headers.get('X-Content-Type-Options')).toBe('nosniff')
      expect(await code(response)).toBe('not_found')
    }
  })
})

describe('R2', () => {
  it('has what it has checked again when it is read: an altered object is fetched anew', async () => {
    const stored = page()
    const [txid = ''] = store(bitcoin, stored, 2000)
    const key = `content/Bitcoin/${txid}`
    await env.BUCKET.put(key, 'altered', { customMetadata: { encoding: 'identity' } })
    const response = await post('/v0/blob', { blockchain: 'Bitcoin', txids: [txid] })
    expect(await response.text()).toBe(toHex(stored))
  })
})
