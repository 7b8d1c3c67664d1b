import { exports } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'

describe('the ground every route stands on', () => {
  it('answers health', async () => {
    const response = await exports.default.fetch('https://api.example/v0/health')
    expect(response.status).toBe(200)
    expect(response.headers.get('X-Content-Type-Options')).toBe('nosniff')
  })
})
