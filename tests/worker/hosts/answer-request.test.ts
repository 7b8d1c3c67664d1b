import { createExecutionContext, env } from 'cloudflare:test'
import { describe, expect, it } from 'vitest'
import worker from '../../../worker/index.ts'
import type { Env } from '../../../worker/platform/bindings.ts'

/** Asks as a runtime would hand it over that lets more through than `Request` can be made with. */
async function ask(
  {
    url = 'https://api.example/v0/health',
    method = 'GET',
    headers = {},
  }: {
    url?: string
    method?: string
    headers?: Record<string, string>
  },
  service: Env = env,
) {
  const request = new Request<unknown, IncomingRequestCfProperties>('https://api.example/', { headers })
  Object.defineProperty(request, 'url', { value: url })
  Object.defineProperty(request, 'method', { value: method })
  const response = await worker.fetch(request, service, createExecutionContext())
  return { status: response.status, allow: response.headers.get('Allow'), body: await response.text() }
}

const NOTHING = 'https://storage.example/nothing'

describe('a Host with more than a host in it', () => {
  it.each(['https://api.example@evil.example/', 'https://a:b@api.example/v0/health', 'https://a@storage.example/'])(
    'is refused: %s',
    async (url) => {
      expect(await ask({ url })).toMatchObject({ status: 400, body: expect.stringContaining('"invalid_address"') })
    },
  )

  it.each([
    '@api.example',
    ':@api.example',
    'api.example/x',
    'api.example?x',
    'api.example#x',
    'api.example\\@evil.example',
  ])('is refused where the URL does not show it: %s', async (host) => {
    expect(await ask({ url: NOTHING, headers: { Host: host } })).toMatchObject({
      status: 400,
      body: expect.stringContaining('"invalid_address"'),
    })
  })

  it('is let in where it is one', async () => {
    for (const host of ['api.example', 'api.example:8443', '[::1]:8787', 'API.example.'])
      expect([host, (await ask({ url: NOTHING, headers: { Host: host } })).status]).toEqual([host, 404])
  })

  it('is refused also where a proxy of the operator says it', async () => {
    const service = { ...env, TRUST_FORWARDED_HOST: 'true' }
    const asked = async (host: string) =>
      await ask({ url: 'https://proxy.example/', headers: { 'X-Forwarded-Host': host } }, service)
    expect(await asked('storage.example@evil.example')).toMatchObject({ status: 400 })
    expect(await asked('storage.example')).toMatchObject({ status: 404 })
  })
})

describe('a method of proxies', () => {
  it.each(['CONNECT', 'TRACE', 'TRACK'])('is refused on every host: %s', async (method) => {
    for (const url of [
      'https://api.example/v0/health',
      'https://storage.example/',
      'https://api.example/ipfs/bafkqaaa',
      `https://${'ab'.repeat(12)}.storage.example/`,
      'https://bafkqaaa.ipfs.storage.example/',
    ]) {
      expect([url, await ask({ url, method })]).toMatchObject([url, { status: 405, allow: 'GET, HEAD, OPTIONS' }])
    }
  })
})
