import { readFileSync } from 'node:fs'
import type { BrowserContext, Page } from 'playwright-core'
import { afterEach, describe, expect, it } from 'vitest'
import { storeFiles } from '../kit/store-files.ts'
import { storeBytes, storeContent } from '../kit/write-content.ts'
import { fill, useLab } from './lab.ts'

const lab = await useLab()
afterEach(() => {
  lab.api.cut = false
  lab.pages.cut = false
})

const picture = readFileSync(new URL('../../examples/picture.jpg', import.meta.url))

/** CIDs, in base 16, of what the page has kept. */
function keptKeys(page: Page): Promise<string[]> {
  return page.evaluate(
    () =>
      new Promise<string[]>((resolve) => {
        const opening = indexedDB.open('hookline')
        opening.onsuccess = () => {
          const keys = opening.result.transaction('bytes').objectStore('bytes').getAllKeys()
          keys.onsuccess = () => resolve(keys.result.map(String))
        }
      }),
  )
}

async function waitForKept(page: Page, count: number): Promise<string[]> {
  await expect.poll(() => keptKeys(page).then((keys) => keys.length)).toBe(count)
  return keptKeys(page)
}

describe('a page that was seen before', () => {
  it('is whole without network: content from the database, the helper and its frame from the cache', async () => {
    const { root } = await storeFiles(lab.worker, {
      'index.html': '<link rel=stylesheet href=s.css><h1>site</h1>',
      's.css': 'h1{color:rgb(4, 5, 6)}',
    })
    const words = storeContent(lab.worker, 'Bitcoin', 'words from many transactions '.repeat(9))
    const body = `
      <img class="Nativecoin" type="blob" data-mimetype="image/jpeg" data-src="${storeContent(lab.worker, 'Nativecoin', picture)}">
      <p class="Bitcoin" type="chunk" data-mimetype="text/plain" data-src="${words}"></p>
      <iframe id="page" class="Dogecoin" type="blob" data-mimetype="text/html"
        data-src="${storeContent(lab.worker, 'Dogecoin', '<h1>page</h1>')}"></iframe>
      <iframe id="site" class="IPFS" type="blob" data-mimetype="text/html" data-src="${root}"></iframe>`
    const context = await lab.browser.newContext()
    const page = await lab.open(body, { context })
    const fillAll = async () => {
      const outcomes = []
      for (const name of ['Nativecoin', 'Bitcoin', 'Dogecoin', 'IPFS'] as const)
        outcomes.push(...(await fill(page, name)))
      return outcomes.map(({ message, status }) => message ?? status)
    }
    const all = ['filled', 'filled', 'filled', 'filled']
    expect(await fillAll()).toEqual(all)
    await waitForKept(page, 1 + words.length + 1 + 3)

    lab.api.cut = true
    lab.pages.cut = true
    await page.goto(page.url())
    expect(await fillAll()).toEqual(all)
    expect(await page.evaluate(() => document.querySelector('img')?.naturalWidth)).toBe(1280)
    expect(await page.frameLocator('#page').locator('h1').textContent()).toBe('page')
    const heading = page.frameLocator('#site').frameLocator('iframe').locator('h1')
    expect(await heading.evaluate((h1) => getComputedStyle(h1).color)).toBe('rgb(4, 5, 6)')
  })

  it('is read anew where an element says data-cache="reload", past the database and the cache', async () => {
    const txids = storeContent(lab.worker, 'Bitcoin', 'read it again')
    const { root } = await storeFiles(lab.worker, { 'a.txt': 'and this' })
    const piece = (target: string, source: unknown, more = '') =>
      `<p class="${target}" data-mimetype="text/plain" data-src="${source}" ${more}></p>`
    const page = await lab.open(piece('Bitcoin', txids) + piece('IPFS', `${root}/a.txt`))
    const asked: string[] = []
    page.on('request', (request) => asked.push(request.url().replace(lab.api.url, '')))
    const fillBoth = async () => [...(await fill(page, 'Bitcoin')), ...(await fill(page, 'IPFS'))]
    await fillBoth()
    const about = (names: readonly unknown[]) => asked.filter((path) => names.some((name) => path.includes(`${name}`)))
    const first = about([txids[0], root]).length
    expect(first).toBeGreaterThanOrEqual(2)
    const add = (html: string) =>
      page.evaluate((more) => document.body.append(document.createRange().createContextualFragment(more)), html)
    await expect.poll(async () => (await keptKeys(page)).length).toBeGreaterThanOrEqual(2)
    await add(piece('Bitcoin', txids) + piece('IPFS', `${root}/a.txt`))
    await fillBoth()
    expect(about([txids[0], root])).toHaveLength(first)
    // Who lies now is found out, though the right bytes are kept.
    lab.api.tamper = (path, body) =>
      /^\/(v0\/tx|ipfs)\//.test(path) ? body.map((byte, at) => (at === body.length - 12 ? byte ^ 1 : byte)) : undefined
    await add(piece('Bitcoin', txids, 'data-cache="reload"') + piece('IPFS', `${root}/a.txt`, 'data-cache="reload"'))
    const lied = await fillBoth()
    lab.api.tamper = undefined
    expect(lied.map(({ code }) => code)).toEqual(['not_verified', 'not_verified'])
    expect((await fillBoth()).map(({ status }) => status)).toEqual(['filled', 'filled'])
  })

  it('asks only for what it has not kept', async () => {
    const bytes = new TextEncoder().encode('0123456789'.repeat(30))
    const txids = storeBytes(lab.worker, 'Bitcoin', bytes, 80)
    const tag = (list: string[]) => `<p class="Bitcoin" type="blob" data-mimetype="text/plain" data-src="${list}"></p>`
    const context = await lab.browser.newContext()
    await fill(await lab.open(tag(txids.slice(1, 3)), { context }), 'Bitcoin')
    lab.api.seen.length = 0
    const page = await lab.open(tag(txids), { context })
    await fill(page, 'Bitcoin')
    expect(await page.locator('p').textContent()).toBe('0123456789'.repeat(30))
    const asked = lab.api.seen.filter(({ path }) => path.startsWith('/v0/'))
    expect(asked.map(({ path }) => path)).toEqual([`/v0/tx/Bitcoin/${[txids[0], txids[3]]}`])
  })

  it('believes its database no more than the network', async () => {
    const src = storeContent(lab.worker, 'Bitcoin', 'the truth')
    const body = `<p class="Bitcoin" type="blob" data-mimetype="text/plain" data-src="${src}"></p>`
    const context = await lab.browser.newContext()
    const page = await lab.open(body, { context })
    await fill(page, 'Bitcoin')
    await waitForKept(page, 1)
    await page.evaluate(
      () =>
        new Promise<void>((resolve) => {
          const opening = indexedDB.open('hookline')
          opening.onsuccess = () => {
            const store = opening.result.transaction('bytes', 'readwrite').objectStore('bytes')
            store.openCursor().onsuccess = ({ target }) => {
              const cursor = target instanceof IDBRequest ? target.result : undefined
              const altered = cursor.value.map((byte: number, i: number) => (i === 60 ? byte ^ 1 : byte))
              cursor.update(altered).onsuccess = () => resolve()
            }
          }
        }),
    )
    await page.reload()
    expect(await fill(page, 'Bitcoin')).toMatchObject([{ status: 'filled' }])
    expect(await page.locator('p').textContent()).toBe('the truth')
  })
})

describe('the database', () => {
  it('names what it keeps by CID: a transaction by the one that its txid is', async () => {
    const [txid = ''] = storeContent(lab.worker, 'Bitcoin', 'named')
    const page = await lab.open(`<p class="Bitcoin" type="blob" data-mimetype="text/plain" data-src="${txid}"></p>`)
    await fill(page, 'Bitcoin')
    const reversed = Buffer.from(txid, 'hex').reverse().toString('hex')
    expect(await waitForKept(page, 1)).toEqual([`f01b1015620${reversed}`])
  })

  it('stays within a quarter of what the browser offers, the least recently used going first', async () => {
    const context = await small(40_000)
    const items = Array.from({ length: 5 }, (_, i) =>
      storeBytes(lab.worker, 'Nativecoin', new Uint8Array(2500).fill(65 + i)),
    )
    const tag = (i: number) =>
      `<p class="Nativecoin" type="blob" data-mimetype="text/plain" data-src="${items[i]}"></p>`
    const key = (i: number) =>
      `f01b1015620${Buffer.from(items[i]?.[0] ?? '', 'hex')
        .reverse()
        .toString('hex')}`
    const page = await lab.open('', { context })
    const show = async (i: number) => {
      await page.evaluate((markup) => {
        document.body.replaceChildren(document.createRange().createContextualFragment(markup))
      }, tag(i))
      expect(await fill(page, 'Nativecoin')).toMatchObject([{ status: 'filled' }])
    }
    // Three of some 2,900 bytes fit the budget of 10,000.
    for (const i of [0, 1, 2]) await show(i)
    await waitForKept(page, 3)
    await show(0)
    await show(3)
    await expect.poll(() => keptKeys(page).then((keys) => keys.includes(key(3)))).toBe(true)
    expect((await keptKeys(page)).sort()).toEqual([key(0), key(2), key(3)].sort())
  })

  it('that is missing, broken or never opens does not stop the page', async () => {
    const src = storeContent(lab.worker, 'Bitcoin', 'shown all the same')
    const body = `<p class="Bitcoin" type="blob" data-mimetype="text/plain" data-src="${src}"></p>`
    const ways = [
      () => Object.defineProperty(window, 'indexedDB', { value: undefined }),
      () => {
        IDBFactory.prototype.open = () => {
          throw new DOMException('denied', 'SecurityError')
        }
      },
      () => {
        IDBDatabase.prototype.transaction = () => {
          throw new DOMException('closed', 'InvalidStateError')
        }
      },
    ]
    for (const way of ways) {
      const context = await lab.browser.newContext()
      await context.addInitScript(way)
      const page = await lab.open(body, { context })
      expect(await fill(page, 'Bitcoin')).toMatchObject([{ status: 'filled' }])
      expect(await page.evaluate(() => window.hook.db)).toEqual({ persistent: way === ways[2] })
      await context.close()
    }
  })

  it('that does not answer, as while another page writes to it without end, does not stop the page', async () => {
    const txids = storeContent(lab.worker, 'Bitcoin', 'words beside a writer')
    const body = `<p class="Bitcoin" type="blob" data-mimetype="text/plain" data-src="${txids}"></p>`
    const context = await lab.browser.newContext()
    const writer = await lab.open(body, { context })
    await fill(writer, 'Bitcoin')
    await writer.evaluate(
      () =>
        new Promise<void>((resolve) => {
          const opening = indexedDB.open('hookline')
          opening.onsuccess = () => {
            const store = opening.result.transaction('bytes', 'readwrite').objectStore('bytes')
            // A transaction lives as long as it has requests.
            const goOn = () => {
              store.count().onsuccess = goOn
            }
            goOn()
            resolve()
          }
        }),
    )
    const page = await lab.open(body, { context })
    expect(await fill(page, 'Bitcoin')).toMatchObject([{ status: 'filled' }])
    await context.close()
  })

  it('that is full makes room and goes on', async () => {
    const src = storeContent(lab.worker, 'Bitcoin', 'shown all the same')
    const context = await lab.browser.newContext()
    await context.addInitScript(() => {
      const { put } = IDBObjectStore.prototype
      IDBObjectStore.prototype.put = function (...values) {
        if (this.name === 'bytes') throw new DOMException('no space', 'QuotaExceededError')
        return put.apply(this, values)
      }
    })
    const page = await lab.open(`<p class="Bitcoin" type="blob" data-mimetype="text/plain" data-src="${src}"></p>`, {
      context,
    })
    expect(await fill(page, 'Bitcoin')).toMatchObject([{ status: 'filled' }])
    expect(await keptKeys(page)).toEqual([])
  })
})

/** A context whose pages are offered `quota` bytes. */
async function small(quota: number): Promise<BrowserContext> {
  const context = await lab.browser.newContext()
  await context.addInitScript((bytes) => {
    StorageManager.prototype.estimate = async () => ({ quota: bytes, usage: 0 })
  }, quota)
  return context
}
