import { describe, expect, it } from 'vitest'
import { errorCode, get } from '../gateway-request.ts'
import { useSamples } from '../sample-files.ts'

const { small, site } = await useSamples()

describe('who may read it', () => {
  it('says on every answer what a preflight says', async () => {
    for (const method of ['GET', 'OPTIONS']) {
      const { headers } = await get('/ipfs/bafkqabtimvwgy3yk/', { method })
      expect(headers.get('Access-Control-Allow-Origin')).toBe('*')
      const allowed = [headers.get('Access-Control-Allow-Methods'), headers.get('Access-Control-Allow-Headers')].join()
      for (const name of ['GET', 'HEAD', 'OPTIONS', 'Content-Type', 'Range', 'User-Agent', 'X-Requested-With']) {
        expect(allowed).toContain(name)
      }
      for (const name of [
        'Content-Range',
        'Content-Length',
        'X-Ipfs-Roots',
        'X-Chunked-Output',
        'X-Stream-Output',
        'Ipfs-Uri',
      ]) {
        expect(headers.get('Access-Control-Expose-Headers')).toContain(name)
      }
    }
  })

  it('I5: refuses a service worker for a root, and has one below it', async () => {
    const headers = { 'Service-Worker': 'script' }
    expect(await errorCode(await get(`/ipfs/${small}`, { headers }))).toBe('service_worker_scope')
    expect(await errorCode(await get(`/ipns/docs.example`, { headers }))).toBe('service_worker_scope')
    expect((await get(`/ipfs/${site}/root2/root3/plain`, { headers })).status).toBe(200)
  })
})
