import { createExecutionContext, waitOnExecutionContext } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { storeItem } from '../../../kit/store-item.ts'
import { DagFixture } from '../../content/ipfs/dag-fixture.ts'
import { scriptedResolver } from '../../scripted-resolver.ts'
import { signIn } from '../../sign-in.ts'

const START = 1_800_000_000_000
/** The promise: the ages of all memories together (seconds). */
const PROMISED = 60
const HOST = 'www.shop.example'

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: START }))
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

/** An isolate: the Worker with memories of its own, and the same storage as every other. */
async function newIsolate() {
  vi.resetModules()
  const { answerRequest } = await import('../../../../worker/hosts/answer-request.ts')
  return async (url: string, init: RequestInit = {}) => {
    const ctx = createExecutionContext()
    const response = await answerRequest(new Request(url, { redirect: 'manual', ...init }), env, ctx)
    const text = await response.text()
    await waitOnExecutionContext(ctx)
    return { text, headers: response.headers }
  }
}

async function storeDirectory(version: string, owner: string): Promise<string> {
  const dag = new DagFixture()
  const pages = { 'index.html': `<title>${version}</title>`, 'app.js': `let version = '${version}'` }
  // What a static host would be told to keep for ever.
  const _headers = '/*\n  Cache-Control: public, max-age=31536000, immutable\n'
  const cid = await dag.addDirectory({ ...pages, _headers })
  await dag.store()
  return storeItem(env.DB, { blockchain: 'IPFS', cid: String(cid), owner })
}

/** Seconds that a cache between the Worker and the visitor may keep an answer. */
function keptBeside(headers: Headers): number {
  const policy = headers.get('Cache-Control') ?? ''
  return /no-store/.test(policy) ? 0 : Number(/max-age=(\d+)/.exec(policy)?.[1] ?? Number.POSITIVE_INFINITY)
}

it('after a switch every isolate and every cache shows the new version within 60 s in all', async () => {
  const { userId, headers } = await signIn()
  const isolates = [await newIsolate(), await newIsolate()] as const
  const [switching] = isolates
  const api = async (method: string, path: string, body: unknown): Promise<{ id: string }> => {
    const init = { method, headers: { ...headers, 'Content-Type': 'application/json' }, body: JSON.stringify(body) }
    return JSON.parse((await switching(`https://api.example${path}`, init)).text)
  }
  const { id: site } = await api('POST', '/v0/site', { name: 'x', item: await storeDirectory('one', userId) })
  await api('POST', `/v0/site/${site}/versions`, { item: await storeDirectory('two', userId) })
  const own = `${site}.storage.example`
  vi.spyOn(globalThis, 'fetch').mockImplementation(scriptedResolver({ [HOST]: [['CNAME', own, 3600]] }).fetch)
  const pages = [`https://${own}/`, `https://${own}/app.js`, `https://${HOST}/`, `https://${HOST}/app.js`]
  // Each isolate has answered twice, the second time from memory, a moment before the switch.
  for (const isolate of isolates) {
    for (const page of [...pages, ...pages]) expect((await isolate(page)).text).toContain('one')
  }
  await api('PUT', `/v0/site/${site}/current`, { version: 2 })
  for (const page of pages) expect((await switching(page)).text).toContain('two')
  let oldest = 0
  for (let seconds = 0; seconds <= 2 * PROMISED; seconds++) {
    vi.setSystemTime(START + seconds * 1000)
    for (const isolate of isolates) {
      for (const page of pages) {
        const answer = await isolate(page)
        if (answer.text.includes('one')) oldest = Math.max(oldest, seconds + keptBeside(answer.headers))
      }
    }
  }
  // The other isolate did remember: otherwise this would show nothing.
  expect(oldest).toBeGreaterThan(0)
  expect(oldest).toBeLessThanOrEqual(PROMISED)
})
