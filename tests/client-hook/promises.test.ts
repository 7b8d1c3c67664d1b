import { describe, expect, it } from 'vitest'
import { chooseRevoked } from '../../client-hook/show/kept-urls.ts'
import { embedSnippet } from '../../worker/features/items/embed-snippet.ts'
import { storeBytes, storeContent } from '../kit/write-content.ts'
import { fill, useLab } from './lab.ts'

const lab = await useLab()

const PDF = '%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj 2 0 obj<</Type/Pages/Kids[]/Count 0>>endobj\n%%EOF'
const drawing = '<svg xmlns="http://www.w3.org/2000/svg" width="640" height="360"><rect width="9" height="9"/></svg>'
const attributes = (content: string, mimetype: string) =>
  `class="Nativecoin" data-mimetype="${mimetype}" data-src="${storeContent(lab.worker, 'Nativecoin', content)}"`
const viewer = (enabled: boolean) =>
  `<script>Object.defineProperty(Navigator.prototype, 'pdfViewerEnabled', { get: () => ${enabled} })</script>
   <script src="${lab.api.url}/hook.js"></script>`

describe('a PDF', () => {
  const pdfs = () =>
    ['embed', 'object', 'iframe'].map((name) => `<${name} ${attributes(PDF, 'application/pdf')}></${name}>`).join('')

  it('is filled once it is attached, though its viewer says nothing', async () => {
    const page = await lab.open(pdfs(), { head: viewer(true) })
    // A viewer that tells nobody that it has loaded.
    await page.evaluate(() => {
      for (const name of ['load', 'error']) addEventListener(name, (event) => event.stopImmediatePropagation(), true)
    })
    expect((await fill(page, 'Nativecoin')).map(({ status, state }) => [status, state])).toEqual(
      Array.from({ length: 3 }, () => ['filled', 'ready']),
    )
    expect(await page.locator('iframe').getAttribute('src')).toMatch(/^blob:/)
  })

  it('is not showable in a browser that shows none, and the element stays as it was', async () => {
    const page = await lab.open(pdfs(), { head: viewer(false) })
    expect((await fill(page, 'Nativecoin')).map(({ code }) => code)).toEqual(
      Array.from({ length: 3 }, () => 'not_showable'),
    )
    expect(await page.locator('embed').getAttribute('src')).toBe(null)
  })
})

describe('what is added later', () => {
  const late = () => `<hookline-content ${attributes('late', 'text/plain')}></hookline-content>`

  it('is filled where it is hookline-content, on a page that had none', async () => {
    const page = await lab.open('')
    expect(await page.evaluate(() => customElements.get('hookline-content') !== undefined)).toBe(true)
    expect(lab.api.seen.filter(({ path }) => path.includes('/lazy.')).length).toBe(0)
    await page.evaluate((html) => document.body.insertAdjacentHTML('beforeend', html), late())
    await page.locator('hookline-content[data-state=ready]').waitFor()
    expect(await page.locator('hookline-content').textContent()).toBe('late')
    const changed = await page.evaluate(() => {
      const element = document.querySelector('hookline-content')
      if (!element) throw new Error('none')
      Reflect.set(element, 'mimetype', 'text/html')
      return element.getAttribute('data-mimetype')
    })
    expect(changed).toBe('text/html')
  })

  it('is filled with data-watch whatever it is, as is what was there before', async () => {
    const head = `<script src="${lab.api.url}/hook.js" data-watch></script>`
    const page = await lab.open(`<p id="first" ${attributes('first', 'text/plain')}></p>`, { head })
    await page.locator('#first[data-state=ready]').waitFor()
    const added = `<section><p id="added" ${attributes('added', 'text/plain')}></p></section>`
    await page.evaluate((html) => document.body.insertAdjacentHTML('beforeend', html), added)
    await page.locator('#added[data-state=ready]').waitFor()
    const other = storeContent(lab.worker, 'Nativecoin', 'other').join()
    await page.evaluate((src) => document.querySelector('#added')?.setAttribute('data-src', src), other)
    await page.getByText('other').waitFor()
  })
})

describe('a page without IPFS', () => {
  it('loads no node, and a picture that is no Brotli no decoder; both are there when they are needed', async () => {
    lab.api.seen.length = 0
    const png = Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
      'base64',
    )
    const src = storeBytes(lab.worker, 'Nativecoin', new Uint8Array(png))
    const page = await lab.open(`<img class="Nativecoin" data-mimetype="image/png" data-src="${src}" alt="">`)
    expect(await fill(page, 'Nativecoin')).toMatchObject([{ status: 'filled' }])
    const parts = () => lab.api.seen.map(({ path }) => path).filter((path) => /ipfs\.|brotli\./.test(path))
    expect(parts()).toEqual([])
    expect(await page.evaluate(async () => typeof (await window.hook.node).helia)).toBe('object')
    expect(parts().length).toBe(1)
  })
})

describe('the blob: URL of a picture', () => {
  it('can be opened, and shown by a second element, as long as an element uses it', async () => {
    const page = await lab.open(`<img ${attributes(drawing, 'image/svg+xml')} alt="">`)
    await fill(page, 'Nativecoin')
    const sizes = await page.evaluate(async () => {
      const first = document.querySelector('img')
      const second = new Image()
      second.src = first?.src ?? ''
      await second.decode()
      return [second.naturalWidth, (await (await fetch(second.src)).blob()).type]
    })
    expect(sizes).toEqual([640, 'image/svg+xml'])
  })

  it('is revoked where nothing uses it, and the oldest read ones beyond the budget are', () => {
    const all = [
      { url: 'unused', bytes: 1, isRead: true },
      { url: 'playing', bytes: 6, isRead: false },
      { url: 'old', bytes: 3, isRead: true },
      { url: 'new', bytes: 3, isRead: true },
    ]
    const isUsed = (url: string) => url !== 'unused'
    expect(chooseRevoked(all, isUsed, 12)).toEqual(['unused'])
    expect(chooseRevoked(all, isUsed, 9)).toEqual(['unused', 'old'])
    expect(chooseRevoked(all, isUsed, 0)).toEqual(['unused', 'old', 'new'])
  })
})

describe('an element that is being filled', () => {
  it('is busy for assistive technology until it is filled', async () => {
    const page = await lab.open(`<p ${attributes('busy', 'text/plain')}></p>`)
    const values = await page.evaluate(async () => {
      const before: (string | null)[] = []
      const observer = new MutationObserver((records) => before.push(...records.map(({ oldValue }) => oldValue)))
      observer.observe(document.body, { subtree: true, attributeOldValue: true, attributeFilter: ['aria-busy'] })
      await window.hook('Nativecoin')
      await new Promise((resolve) => setTimeout(resolve))
      return [...before, document.querySelector('p')?.getAttribute('aria-busy')]
    })
    expect(values).toEqual([null, 'true', null])
  })

  it('is filled for printing though it is lazy and far below', async () => {
    const far = `<div style="height:20000px"></div><hookline-content loading="lazy" ${attributes('far', 'text/plain')}></hookline-content>`
    const page = await lab.open(far)
    await page.locator('hookline-content[data-state=loading]').waitFor({ state: 'attached' })
    // The observer of the queue has looked.
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 200))))
    expect(await page.locator('hookline-content').textContent()).toBe('')
    await page.evaluate(() => dispatchEvent(new Event('beforeprint')))
    await page.locator('hookline-content[data-state=ready]').waitFor({ state: 'attached' })
  })
})

describe('the snippet of the service', () => {
  it('does not move the page when its picture comes, where it names the size', async () => {
    const snippet = embedSnippet({
      baseUrl: new URL(lab.api.url),
      blockchain: 'Nativecoin',
      sources: storeContent(lab.worker, 'Nativecoin', drawing),
      mimetype: 'image/svg+xml',
      name: 'a long description of what can be seen in it',
    }).replace('<img ', '<img width="640" height="360" ')
    const page = await lab.open(`${snippet}<p>text below</p>`, {
      head: '<style>img{max-width:100%;height:auto}</style>',
    })
    await page.locator('img[data-state=ready]').waitFor()
    const shift = await page.evaluate(
      () =>
        new Promise<number>((resolve) => {
          let sum = 0
          new PerformanceObserver((list) => {
            for (const entry of list.getEntries()) sum += Number(Reflect.get(entry, 'value'))
          }).observe({ type: 'layout-shift', buffered: true })
          setTimeout(() => resolve(sum), 500)
        }),
    )
    expect(shift).toBeLessThanOrEqual(0.01)
  })
})
