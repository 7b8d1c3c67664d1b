import { env } from 'cloudflare:test'
import { vi } from 'vitest'

/** Has the bucket take no record of a payout, without which nothing is sent, until the returned function is called. */
export function refuseRecords(): () => void {
  const put = env.BUCKET.put.bind(env.BUCKET)
  const broken = vi.spyOn(env.BUCKET, 'put').mockImplementation(async (...given: Parameters<typeof put>) => {
    if (given[0].startsWith('payouts/')) throw new Error('put: failed')
    return await put(...given)
  })
  return () => broken.mockRestore()
}
