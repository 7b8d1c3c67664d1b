import { randomBytes } from 'node:crypto'
import type { BrowserContext } from 'playwright-core'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { storeFiles } from '../kit/store-files.ts'
import { storeContent } from '../kit/write-content.ts'
import { browser, openService, worker } from './open-service.ts'

/** "Correct1" at a low cost. */
const PASSWORD_HASH = '$scrypt$ln=4,r=8,p=1$AAAAAAAAAAAAAAAAAAAAAA$dKDerxyjpp/7HVYPNffdJhxnrmpzWjQDnOaf+PrvnWw'

let context: BrowserContext
/** The origins of two sites: a page on a chain, a directory on IPFS. */
let alice: string
let bob: string

openService({ opens: 'browser' })
beforeAll(async () => {
  const page = '<!doctype html><title>Alice</title><script>window.owner = "alice"</script>'
  alice = await storeSite({ blockchain: 'Nativecoin', txids: storeContent(worker, 'Nativecoin', page) })
  const { root } = await storeFiles(worker, {
    'index.html': '<!doctype html><title>Bob</title><script src="app.js"></script>',
    'app.js': 'window.owner = "bob"',
    'sw.js': 'self.addEventListener("fetch", (event) => event.respondWith(new Response("taken over")))',
  })
  bob = await storeSite({ blockchain: 'IPFS', cid: root })
})
beforeEach(async () => {
  await context?.close()
  context = await browser.newContext()
})

async function storeSite(source: { blockchain: string; txids?: string[]; cid?: string }): Promise<string> {
  const db = await worker.miniflare.getD1Database('DB')
  const id = randomBytes(12).toString('hex')
  await db
    .prepare(
      `INSERT INTO items (id, user_id, name, mimetype, blockchain, size, stored_size, chunk_size, chunks, status, cid,
         created_at, updated_at)
       VALUES (?, 'u', 'site', 'text/html', ?, 1, 1, 1, 1, 200, ?, 0, 0)`,
    )
    .bind(id, source.blockchain, source.cid ?? null)
    .run()
  if (source.txids) {
    await db.prepare('INSERT INTO item_txids (item_id, txids) VALUES (?, ?)').bind(id, source.txids.join('')).run()
  }
  return `http://${id}.storage.localhost:${new URL(worker.url).port}`
}

async function open(origin: string) {
  const page = await context.newPage()
  await page.goto(`${origin}/`)
  return page
}

describe('two sites in one browser', () => {
  it('are shown, scripts and all', async () => {
    for (const [origin, owner] of [
      [alice, 'alice'],
      [bob, 'bob'],
    ] as const) {
      const page = await open(origin)
      expect(await page.evaluate('window.owner')).toBe(owner)
    }
  })

  it('cannot read each other’s storage', async () => {
    const first = await open(alice)
    await first.evaluate(`(async () => {
      localStorage.setItem('secret', 'alice')
      sessionStorage.setItem('secret', 'alice')
      await (await caches.open('secret')).put('/secret', new Response('alice'))
      await new Promise((done, fail) => {
        const opening = indexedDB.open('secret', 1)
        opening.onupgradeneeded = () => opening.result.createObjectStore('secret')
        opening.onsuccess = done
        opening.onerror = fail
      })
    })()`)
    const second = await open(bob)
    const seen = await second.evaluate(`(async () => ({
      local: localStorage.getItem('secret'),
      session: sessionStorage.getItem('secret'),
      caches: await caches.keys(),
      databases: (await indexedDB.databases()).map(({ name }) => name),
    }))()`)
    expect(seen).toEqual({ local: null, session: null, caches: [], databases: [] })
  })

  it('D9: cannot reach into each other’s frames, not even by giving up a part of their names', async () => {
    const page = await open(alice)
    const reached = await page.evaluate(`(async () => {
      const frame = document.createElement('iframe')
      frame.src = ${JSON.stringify(`${bob}/`)}
      const loaded = new Promise((done) => { frame.onload = done })
      document.body.append(frame)
      await loaded
      const attempt = (run) => { try { return run() ?? 'nothing' } catch (error) { return error.name } }
      return {
        document: attempt(() => frame.contentDocument?.title),
        storage: attempt(() => frame.contentWindow.localStorage.length),
        variable: attempt(() => frame.contentWindow.owner),
        relaxed: attempt(() => {
          document.domain = 'storage.localhost'
          return frame.contentWindow.owner
        }),
        alone: window.originAgentCluster,
      }
    })()`)
    expect(reached).toEqual({
      document: 'nothing',
      storage: 'SecurityError',
      variable: 'SecurityError',
      relaxed: 'SecurityError',
      alone: true,
    })
  })

  it('R19: can run a service worker for their own origin only', async () => {
    const own = await open(bob)
    const registered = await own.evaluate(`(async () => {
      await navigator.serviceWorker.register('/sw.js')
      await navigator.serviceWorker.ready
      return (await fetch('/anything').then((r) => r.text()).catch(String)) && 'registered'
    })()`)
    expect(registered).toBe('registered')
    await own.reload()
    expect(await own.evaluate('document.body.textContent')).toBe('taken over')
    const other = await open(alice)
    expect(await other.evaluate('window.owner')).toBe('alice')
    const foreign = await other.evaluate(
      `navigator.serviceWorker.register(${JSON.stringify(`${bob}/sw.js`)}).then(() => 'registered', (e) => e.name)`,
    )
    expect(foreign).toBe('SecurityError')
  })
})

describe('the script of a site', () => {
  /** A token of a user who is not the owner of the site. */
  async function logIn(): Promise<string> {
    const db = await worker.miniflare.getD1Database('DB')
    const id = crypto.randomUUID()
    await db
      .prepare(
        `INSERT INTO users (id, email, password_hash, first_name, last_name, status, created_at)
         VALUES (?, ?, ?, 'Ada', 'Lovelace', 1, 0)`,
      )
      .bind(id, `${id}@example.com`, PASSWORD_HASH)
      .run()
    const response = await fetch(`${worker.url}/v0/token`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ email: `${id}@example.com`, password: 'Correct1' }),
    })
    const pair: unknown = await response.json()
    if (typeof pair !== 'object' || !pair || !('accessToken' in pair)) throw new Error(`no token: ${response.status}`)
    return String(pair.accessToken)
  }

  it('cannot call the API with a user’s authority, even if it had come by a token', async () => {
    const token = await logIn()
    const headers = { Authorization: `Bearer ${token}` }
    expect((await fetch(`${worker.url}/v0/user`, { headers })).status).toBe(200)
    const page = await open(alice)
    const call = (path: string, init: object) =>
      page.evaluate(
        `fetch(${JSON.stringify(worker.url + path)}, ${JSON.stringify(init)}).then((r) => r.status, (e) => e.name)`,
      )
    expect(await call('/v0/user', { headers })).toBe('TypeError')
    expect(await call('/v0/item', { headers, credentials: 'include' })).toBe('TypeError')
    expect(await call('/v0/user', { method: 'DELETE', headers })).toBe('TypeError')
    // What a page may send without asking first changes nothing, and its answer cannot be read.
    const simple = { method: 'POST', headers: { 'Content-Type': 'text/plain' }, body: '{}', credentials: 'include' }
    expect(await call('/v0/token', simple)).toBe('TypeError')
    expect((await fetch(`${worker.url}/v0/user`, { headers })).status).toBe(200)
  })

  it('D8: cannot set a cookie that the API or another site is sent', async () => {
    const page = await open(alice)
    await page.evaluate(`
      document.cookie = 'a=1; Domain=storage.localhost; Path=/'
      document.cookie = 'b=1; Domain=localhost; Path=/'
      document.cookie = 'c=1; Path=/'
    `)
    const sent = async (origin: string) => (await context.cookies(origin)).map(({ name }) => name)
    expect(await sent(`${alice}/`)).toContain('c')
    expect(await sent(`${worker.url}/v0/user`)).toEqual([])
    expect(await sent(`${bob}/`)).not.toContain('c')
    expect(await sent(`${bob}/`)).not.toContain('b')
  })
})
