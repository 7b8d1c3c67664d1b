import { createExecutionContext, env } from 'cloudflare:test'
import { describe, expect, it } from 'vitest'
import type { Env } from '../../../worker/bindings.ts'
import { RATE_LIMITS } from '../../../worker/http/rate-limits.ts'
import worker from '../../../worker/index.ts'

const [wrangler = ''] = Object.values(
  import.meta.glob<string>('../../../wrangler.toml', { query: '?raw', import: 'default', eager: true }),
)
const FROM = { 'CF-Connecting-IP': '192.0.2.1' }

async function headersOf(path: string, headers: Record<string, string> = FROM, method = 'GET', service: Env = env) {
  const request = new Request<unknown, IncomingRequestCfProperties>(`https://api.example${path}`, { method, headers })
  const response = await worker.fetch(request, service, createExecutionContext())
  await response.body?.cancel()
  const { status } = response
  return { status, policy: response.headers.get('RateLimit-Policy'), left: response.headers.get('RateLimit') }
}

describe('limits by address', () => {
  it('are told where they count, errors included; how much is left is not known', async () => {
    expect(await headersOf('/v0/cache')).toMatchObject({ policy: '"read";q=6000;w=60', left: null })
    expect(await headersOf('/v0/token', FROM, 'PUT')).toMatchObject({ status: 401, policy: '"write";q=1800;w=60' })
  })

  it('say which of them is used up, and for how long', async () => {
    const spent: Env = { ...env, WRITE_LIMIT: { limit: async () => ({ success: false }) } }
    expect(await headersOf('/v0/token', FROM, 'PUT', spent)).toEqual({
      status: 429,
      policy: '"write";q=1800;w=60',
      left: '"write";r=0;t=60',
    })
  })

  it('are not told where nothing is counted', async () => {
    expect(await headersOf('/v0/cache', {})).toMatchObject({ policy: null })
    expect(await headersOf('/console/settings')).toMatchObject({ policy: null })
  })

  it('are those of wrangler.toml', () => {
    for (const [name, { most, seconds }] of Object.entries(RATE_LIMITS)) {
      const [, section = ''] = wrangler.split(`name = "${name.toUpperCase()}_LIMIT"`)
      expect(section).toMatch(
        new RegExp(`^\\s+namespace_id = "\\d+"\\s+simple = \\{ limit = ${most}, period = ${seconds} \\}`),
      )
    }
  })
})
