import { env } from 'cloudflare:test'
import { describe, expect, it } from 'vitest'
import { insertAdmission } from '../../../../../worker/content/cache/admissions.ts'
import { fetchApi } from '../../../fetch-api.ts'
import { signIn } from '../../../sign-in.ts'

describe('GET /v0/cache', () => {
  it('tells the operator what strangers may fill, and what of this hour is taken', async () => {
    const { token } = await signIn('admin')
    await insertAdmission(env.DB, 'ipfs', 12_345, 1 << 30, Date.now())
    const response = await fetchApi('GET', '/v0/cache', { token })
    expect(response.status).toBe(200)
    expect(await response.json()).toEqual({
      chain: { bytesPerHour: 1 << 30, days: 30, admitted: expect.any(Number) },
      ipfs: { bytesPerHour: 1 << 30, days: 30, admitted: 12_345 },
    })
  })

  it('is nobody else’s to read', async () => {
    const { token } = await signIn('user')
    expect((await fetchApi('GET', '/v0/cache', { token })).status).toBe(403)
    expect((await fetchApi('GET', '/v0/cache')).status).toBe(401)
  })
})
