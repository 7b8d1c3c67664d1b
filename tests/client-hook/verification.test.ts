import { readFileSync } from 'node:fs'
import { afterEach, describe, expect, it } from 'vitest'
import { storeFiles } from '../kit/store-files.ts'
import { storeContent } from '../kit/write-content.ts'
import { fill, type Lab, useLab } from './lab.ts'

const lab = await useLab()
afterEach(() => {
  lab.api.tamper = undefined
})

const picture = readFileSync(new URL('../../examples/picture.jpg', import.meta.url))
const text = 'Every byte of this is checked. '.repeat(20)

/** Changes one bit of one byte of every answer whose path begins so. */
function flip(start: string, place: number): void {
  lab.api.tamper = (path, body) => {
    if (!path.startsWith(start) || body.length === 0) return undefined
    const altered = body.slice()
    const index = Math.floor(place * (altered.length - 1))
    altered[index] = (altered[index] ?? 0) ^ 1
    return altered
  }
}

/** What the page's database holds. */
function kept(page: Awaited<ReturnType<Lab['open']>>): Promise<number> {
  return page.evaluate(
    () =>
      new Promise<number>((resolve) => {
        const opening = indexedDB.open('hookline')
        opening.onsuccess = () => {
          const counting = opening.result.transaction('bytes').objectStore('bytes').count()
          counting.onsuccess = () => resolve(counting.result)
        }
      }),
  )
}

describe('one altered byte on the way', () => {
  it.each([0, 0.3, 0.5, 0.9, 1])(
    'of a transaction, %s through it, is an error: nothing is shown or kept',
    async (place) => {
      const txids = storeContent(lab.worker, 'Bitcoin', text + place)
      flip('/v0/tx/', place)
      for (const type of ['blob', 'chunk']) {
        const page = await lab.open(
          `<p class="Bitcoin" type="${type}" data-mimetype="text/plain" data-src="${txids}">kept</p>`,
        )
        expect(await fill(page, 'Bitcoin')).toMatchObject([{ status: 'failed', code: 'not_verified', state: 'error' }])
        expect(await page.locator('p').textContent()).toBe('kept')
        expect(await kept(page)).toBe(0)
        await page.context().close()
      }
    },
  )

  it('of an IPFS block is an error, in a CAR as in single blocks', async () => {
    const { cids } = await storeFiles(lab.worker, { 'p.jpg': picture })
    const body = `<p class="IPFS" type="blob" data-mimetype="text/plain" data-src="${cids['p.jpg']}">kept</p>`
    flip('/ipfs/', 0.7)
    const page = await lab.open(body)
    expect(await fill(page, 'IPFS')).toMatchObject([{ status: 'failed', code: 'not_verified' }])
    expect(await page.locator('p').textContent()).toBe('kept')
    expect(await kept(page)).toBe(0)

    lab.api.tamper = (path, bytes) => {
      if (path.includes('format=car')) return new TextEncoder().encode('<h1>no CAR</h1>')
      return path.includes('format=raw') ? bytes.map((byte, index) => (index === 99 ? byte ^ 1 : byte)) : undefined
    }
    const again = await lab.open(body)
    expect(await fill(again, 'IPFS')).toMatchObject([{ status: 'failed', code: 'not_verified' }])
    expect(await again.locator('p').textContent()).toBe('kept')
  })

  it('H12: of a part of the helper itself keeps that part from running', async () => {
    const src = storeContent(lab.worker, 'Bitcoin', 'hello')
    const body = `<p class="Bitcoin" type="blob" data-mimetype="text/plain" data-src="${src}">kept</p>`
    for (const part of ['/hook/show.', '/hook/brotli.']) {
      flip(part, 0.5)
      const page = await lab.open(body)
      expect(await fill(page, 'Bitcoin')).toMatchObject([{ status: 'failed', code: 'part_failed' }])
      expect(await page.locator('p').textContent()).toBe('kept')
      await page.context().close()
    }
    flip('/hook/ipfs.', 0.5)
    const page = await lab.open('<p class="IPFS" type="blob" data-mimetype="text/plain" data-src="bafkqaaa">kept</p>')
    expect(await fill(page, 'IPFS')).toMatchObject([{ status: 'failed', code: 'part_failed' }])
    expect(await page.evaluate(() => window.hook.node.then(({ error }) => error?.message))).toContain('/hook/ipfs.')
  })
})

describe('an answer that is not what was asked for', () => {
  it.each<[string, (body: Uint8Array<ArrayBuffer>) => Uint8Array<ArrayBuffer>, string]>([
    [
      'H8: a page instead of transactions',
      () => new TextEncoder().encode('<!doctype html><h1>Sign in</h1>'),
      'not_verified',
    ],
    ['half of a transaction', (body) => body.slice(0, body.length / 2), 'not_verified'],
    ['more transactions than were asked for', (body) => new Uint8Array([...body, ...body]), 'not_verified'],
    ['nothing', () => new Uint8Array(0), 'not_verified'],
    ['H8: 65 MiB of zeros', () => new Uint8Array(65 << 20), 'too_large'],
  ])('such as %s is an error', async (_, change, code) => {
    const src = storeContent(lab.worker, 'Bitcoin', 'hello')
    lab.api.tamper = (path, body) => (path.startsWith('/v0/tx/') ? change(body) : undefined)
    const page = await lab.open(`<p class="Bitcoin" type="blob" data-mimetype="text/plain" data-src="${src}">kept</p>`)
    expect(await fill(page, 'Bitcoin')).toMatchObject([{ status: 'failed', code }])
    expect(await page.locator('p').textContent()).toBe('kept')
  })

  it('H8: and one that never ends is given up after 30 s of silence', async () => {
    const src = storeContent(lab.worker, 'Bitcoin', 'hello')
    const page = await lab.open(`<p class="Bitcoin" type="blob" data-mimetype="text/plain" data-src="${src}">kept</p>`)
    await page.evaluate(() => window.hook.db)
    await page.clock.install()
    await page.route('**/v0/tx/**', () => {})
    const outcome = fill(page, 'Bitcoin')
    await page.waitForRequest('**/v0/tx/**')
    await page.clock.fastForward(31_000)
    expect(await outcome).toMatchObject([{ status: 'failed', code: 'timeout' }])
  })
})

describe('altered bytes in the cache of the browser', () => {
  it('are an error once, and replaced for the next time', async () => {
    const src = storeContent(lab.worker, 'Bitcoin', 'hello')
    const { cids } = await storeFiles(lab.worker, { 'a.txt': 'hello' })
    const body = `<p class="Bitcoin" type="blob" data-mimetype="text/plain" data-src="${src}"></p>
      <p class="IPFS" type="blob" data-mimetype="text/plain" data-src="${cids['a.txt']}"></p>`
    const page = await lab.open(body)
    for (const [blockchain, start] of [
      ['Bitcoin', '/v0/tx/'],
      ['IPFS', '/ipfs/'],
    ] as const) {
      flip(start, 0.9)
      expect(await fill(page, blockchain)).toMatchObject([{ status: 'failed', code: 'not_verified' }])
      await page.waitForLoadState('networkidle')
      // What the browser has kept would come again, were it not replaced.
      lab.api.tamper = undefined
      await page.reload()
      await expect.poll(() => fill(page, blockchain)).toMatchObject([{ status: 'filled' }])
    }
  })
})

describe('blocks that a CAR lacks', () => {
  it('are fetched one by one', async () => {
    const bytes = Uint8Array.from({ length: 600_000 }, (_, i) => (i * 7919) >> 3)
    const { cids, blocks } = await storeFiles(lab.worker, { 'p.bin': bytes })
    expect(blocks).toBeGreaterThan(3)
    lab.api.tamper = (path, body) => (path.includes('format=car') ? body.slice(0, body.length / 2) : undefined)
    lab.api.seen.length = 0
    const page = await lab.open(
      `<p class="IPFS" type="blob" hidden data-mimetype="text/plain; charset=latin1" data-src="${cids['p.bin']}"></p>`,
    )
    expect(await fill(page, 'IPFS')).toMatchObject([{ status: 'filled' }])
    expect(await page.evaluate(() => document.querySelector('p')?.textContent?.length)).toBe(bytes.length)
    expect(lab.api.seen.filter(({ path }) => path.includes('format=raw')).length).toBeGreaterThan(0)
  })
})
