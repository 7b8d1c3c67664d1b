import { afterEach, describe, expect, it } from 'vitest'
import { storeContent } from '../kit/write-content.ts'
import { fill, useLab } from './lab.ts'

const lab = await useLab()
afterEach(() => {
  lab.api.tamper = undefined
  lab.api.seen.length = 0
})

/** Paths of transactions that were asked for. */
const asked = () =>
  lab.api.seen.flatMap(({ path }) => (path.startsWith('/v0/tx/') ? [path.split('/').at(-1) ?? ''] : []))
const store = (text: string) => storeContent(lab.worker, 'Bitcoin', text).join()
const paragraph = (src: string, more = '') =>
  `<p class="Bitcoin" type="blob" data-mimetype="text/plain" data-src="${src}" ${more}>not yet</p>`

describe('a page of many elements', () => {
  it('is filled a few at a time, what is near the viewport before what is far', async () => {
    const far = Array.from({ length: 30 }, (_, index) => store(`far ${index}`))
    const near = store('near')
    const body = far.map((src) => paragraph(src, 'style="margin-bottom:9000px"')).join('')
    const page = await lab.open(`${body}<div style="position:fixed;top:0">${paragraph(near, 'id="near"')}</div>`)
    const told = Promise.withResolvers<void>()
    await page.route('**/v0/tx/**', async (route) => {
      await told.promise
      await route.continue()
    })
    const begun = page.waitForRequest('**/v0/tx/**')
    const [results] = await Promise.all([
      fill(page, 'Bitcoin'),
      begun.then(async () => {
        // An observer that is newer than those of the queue, and is called after them.
        await page
          .locator('#near')
          .evaluate((near) => new Promise<void>((resolve) => new IntersectionObserver(() => resolve()).observe(near)))
        told.resolve()
      }),
    ])
    expect(results.map(({ status }) => status)).toEqual(Array.from({ length: 31 }, () => 'filled'))
    // It is the last in the page. Six may begin before the browser tells what is near.
    expect(asked().indexOf(near)).toBeLessThanOrEqual(6)
    expect(await page.locator('#near').textContent()).toBe('near')
  })

  it('H16: asks for no more than six at once, though ten thousand wait', async () => {
    const src = store('one of many')
    let open = 0
    let most = 0
    let requests = 0
    const page = await lab.open('<div id="all"></div>')
    await page.route('**/v0/tx/**', async (route) => {
      most = Math.max(most, ++open)
      requests++
      await new Promise((resolve) => setTimeout(resolve, 20))
      open--
      await route.abort()
    })
    await page.evaluate((txid) => {
      const place = document.querySelector('#all')
      for (let index = 0; index < 10_000; index++) {
        const element = document.createElement('p')
        element.className = 'Bitcoin'
        element.dataset.mimetype = 'text/plain'
        // Each another list of transactions.
        element.dataset.src = `${txid},${index.toString(16).padStart(64, '0')}`
        place?.append(element)
      }
      void window.hook('Bitcoin')
    }, src)
    await expect.poll(() => page.locator('[data-state]').count(), { timeout: 60_000 }).toBe(10_000)
    // Many rounds of six have failed by then, and each let the next six go.
    await expect.poll(() => requests, { timeout: 60_000 }).toBeGreaterThan(60)
    expect(most).toBeGreaterThan(0)
    expect(most).toBeLessThanOrEqual(6)
  })

  it('is filled also where a form has the class, and inputs that hide its properties', async () => {
    const src = store('beside a form')
    const page = await lab.open(
      `<form class="Bitcoin"><input name="classList"><input name="getAttribute"></form>${paragraph(src)}`,
    )
    expect(await fill(page, 'Bitcoin')).toMatchObject([{ status: 'filled' }])
  })
})

describe('command 38: <hookline-content>', () => {
  const element = (src: string, more = '') =>
    `<hookline-content class="Bitcoin note" data-mimetype="text/plain" data-src="${src}" ${more}>not yet</hookline-content>`

  it('fills itself, keeps role, class and hidden of its author, and reflects its properties', async () => {
    const src = store('shown by an element')
    const page = await lab.open(element(src, 'role="note" hidden'))
    await page.waitForFunction(() => document.querySelector('hookline-content')?.getAttribute('data-state') === 'ready')
    const seen = await page.evaluate(() => {
      const one = document.querySelector('hookline-content')
      if (!(one instanceof HTMLElement)) return undefined
      Reflect.set(one, 'sha256', 'ab')
      const { textContent, className, hidden } = one
      const names = ['role', 'data-sha256']
      return {
        textContent,
        className,
        hidden,
        shown: one.checkVisibility(),
        values: names.map((name) => one.getAttribute(name)),
        src: Reflect.get(one, 'src'),
      }
    })
    expect(seen).toEqual({
      textContent: 'shown by an element',
      className: 'Bitcoin note',
      hidden: true,
      shown: false,
      values: ['note', 'ab'],
      src,
    })
  })

  it('honours properties that were set before it was defined', async () => {
    const src = store('set before the upgrade')
    const head = `<script src="${lab.api.url}/hook.js" async></script>`
    const body = `<hookline-content class="Bitcoin"></hookline-content><script>
      Object.assign(document.querySelector('hookline-content'), { src: '${src}', mimetype: 'text/plain' })</script>`
    const page = await lab.open(body, { head })
    await page.waitForFunction(
      () => document.querySelector('hookline-content')?.textContent === 'set before the upgrade',
    )
    const own = await page.evaluate(() => Object.hasOwn(document.querySelector('hookline-content') ?? {}, 'src'))
    expect(own).toBe(false)
  })

  it('aborts what it was loading when it gets another source, and shows only that', async () => {
    const slow = store('too slow')
    const quick = store('quick')
    const page = await lab.open('')
    let aborted = false
    page.on('requestfailed', (request) => {
      if (request.url().includes(slow)) aborted = true
    })
    const release = Promise.withResolvers<void>()
    await page.route(`**/${slow}`, async (route) => {
      await release.promise
      await route.continue().catch(() => {})
    })
    await page.evaluate((src) => {
      document.body.innerHTML =
        '<hookline-content class="Bitcoin" data-mimetype="text/plain">not yet</hookline-content>'
      document.querySelector('hookline-content')?.setAttribute('data-src', src)
    }, slow)
    // Nothing of the page had it before: the call loads what defines it.
    const asking = page.waitForRequest(`**/${slow}`)
    await page.evaluate(() => {
      void window.hook('Bitcoin')
    })
    await asking
    await page.waitForFunction(() => customElements.get('hookline-content') !== undefined)
    await page.evaluate((src) => document.querySelector('hookline-content')?.setAttribute('data-src', src), quick)
    await page.waitForFunction(() => document.querySelector('hookline-content')?.textContent === 'quick')
    await expect.poll(() => aborted).toBe(true)
    release.resolve()
    await page.unrouteAll({ behavior: 'wait' })
    expect(await page.locator('hookline-content').textContent()).toBe('quick')
  })

  it('that is lazy waits until it is scrolled to', async () => {
    const src = store('far below')
    const page = await lab.open(`<p style="height:9000px"></p>${element(src, 'loading="lazy"')}`)
    await page.waitForTimeout(800)
    expect(asked()).toEqual([])
    await page.locator('hookline-content').scrollIntoViewIfNeeded()
    await page.waitForFunction(() => document.querySelector('hookline-content')?.textContent === 'far below')
  })

  it('command 37: is not defined where its name is taken', async () => {
    const src = store('never shown')
    const head = `<script>customElements.define('hookline-content', class Theirs extends HTMLElement {})</script>
      <script src="${lab.api.url}/hook.js"></script>`
    const page = await lab.open(element(src), { head })
    const errors: Error[] = []
    page.on('pageerror', (error) => errors.push(error))
    await page.waitForTimeout(800)
    expect(await page.evaluate(() => customElements.get('hookline-content')?.name)).toBe('Theirs')
    expect(errors).toEqual([])
  })
})
