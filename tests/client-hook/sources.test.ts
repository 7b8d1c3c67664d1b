import { randomBytes } from 'node:crypto'
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { storeFiles } from '../kit/store-files.ts'
import { startTamperingProxy, type Tamper, type TamperingProxy } from '../kit/tampering-proxy.ts'
import { storeContent } from '../kit/write-content.ts'
import { fill, useLab } from './lab.ts'

const lab = await useLab()
/** Two more hosts of the same service. */
let second: TamperingProxy
let third: TamperingProxy

beforeAll(async () => {
  second = await startTamperingProxy(lab.worker.url)
  third = await startTamperingProxy(lab.worker.url)
})
afterEach(() => {
  for (const proxy of [lab.api, second, third]) Object.assign(proxy, { tamper: undefined, cut: false })
})
afterAll(async () => {
  await second.close()
  await third.close()
})

const content = (path: string) => /^\/(v0\/tx|ipfs)/.test(path)
const tampering =
  (outcome: ReturnType<Tamper>): Tamper =>
  (path) =>
    content(path) ? outcome : undefined
/** Another last byte. */
const lie: Tamper = (path, body) =>
  content(path) ? body.map((byte, index) => (index === body.length - 1 ? byte ^ 1 : byte)) : undefined

function onChain(text: string, attributes = ''): string {
  const src = storeContent(lab.worker, 'Bitcoin', text)
  return `<p class="Bitcoin" data-mimetype="text/plain" data-src="${src}" ${attributes}>kept</p>`
}

async function onIpfs(text: string | Uint8Array, attributes = ''): Promise<string> {
  const { cids } = await storeFiles(lab.worker, { 'a.txt': text })
  return `<p class="IPFS" data-mimetype="text/plain" data-src="${cids['a.txt']}" ${attributes}>kept</p>`
}

const head = (...gateways: string[]) =>
  `<script src="${lab.api.url}/hook.js" data-frames="none" data-gateways="${gateways.join(' ')}"></script>`

/** A page whose script tag names these gateways, with every part of the helper loaded. */
async function open(body: string, ...gateways: string[]): Promise<Page> {
  const page = await lab.open(body, { head: head(...gateways) })
  await page.evaluate(() => window.hook.node)
  await page.waitForLoadState('networkidle')
  for (const proxy of [lab.api, second, third]) proxy.seen.length = 0
  return page
}

const asked = (proxy: TamperingProxy) => proxy.seen.map(({ path }) => path).filter(content)

describe('a page without data-gateways', () => {
  it('asks nobody but the API host, and loads nothing for others', async () => {
    second.seen.length = 0
    lab.api.seen.length = 0
    const page = await lab.open(onChain('alone') + (await onIpfs('alone too')))
    expect([...(await fill(page, 'Bitcoin')), ...(await fill(page, 'IPFS'))]).toMatchObject([
      { status: 'filled' },
      { status: 'filled' },
    ])
    expect(second.seen).toEqual([])
    expect(lab.api.seen.filter(({ path }) => path.startsWith('/hook/sources'))).toEqual([])
  })
})

describe('data-gateways', () => {
  it('are not asked for what the API host has, nor loaded from', async () => {
    const page = await open(onChain('first of all'), second.url)
    expect(await fill(page, 'Bitcoin')).toMatchObject([{ status: 'filled' }])
    expect(asked(lab.api).length).toBe(1)
    expect(second.seen).toEqual([])
  })

  it('of an element are asked before those of the script tag, and both behind the API host', async () => {
    const page = await open(onChain('in order', `data-gateways="${third.url}"`), second.url)
    lab.api.tamper = tampering(404)
    third.tamper = tampering(500)
    expect(await fill(page, 'Bitcoin')).toMatchObject([{ status: 'filled' }])
    expect([lab.api, third, second].map((proxy) => asked(proxy).length)).toEqual([1, 1, 1])
  })

  it('of an element alone will do', async () => {
    const page = await lab.open(onChain('by itself', `data-gateways="${second.url}"`))
    lab.api.tamper = tampering(404)
    expect(await fill(page, 'Bitcoin')).toMatchObject([{ status: 'filled' }])
  })

  it.each([
    ['a path', 'https://b.example/ipfs'],
    ['plain http', 'http://b.example'],
    ['credentials', 'https://ada:secret@b.example'],
    ['no address', 'b.example'],
    ['nine of them', Array.from({ length: 9 }, (_, index) => `https://g${index}.example`).join(' ')],
  ])('that are no origins, such as %s, are refused with a sentence', async (_, gateways) => {
    const page = await lab.open(onChain('refused', `data-gateways="${gateways}"`))
    const sentence = 'data-gateways must be at most 8 origins, https or loopback, separated by spaces.'
    expect(await fill(page, 'Bitcoin')).toMatchObject([
      { status: 'failed', code: 'invalid_element', message: sentence },
    ])
    expect(await page.locator('p').textContent()).toBe('kept')

    const told: string[] = []
    const context = await lab.browser.newContext()
    context.on('console', (message) => told.push(message.text()))
    const wrong = await lab.open(onChain('from the API host'), { head: head(gateways), context })
    expect(await fill(wrong, 'Bitcoin')).toMatchObject([{ status: 'filled' }])
    expect(told.join('\n')).toContain('data-gateways')
  })
})

describe('where the API host', () => {
  const troubles: [string, () => void][] = [
    ['is gone', () => (lab.api.cut = true)],
    ['answers 500', () => (lab.api.tamper = tampering(500))],
    ['answers 404', () => (lab.api.tamper = tampering(404))],
    ['hangs', () => (lab.api.tamper = tampering('hang'))],
    ['drips', () => (lab.api.tamper = tampering('drip'))],
    ['lies', () => (lab.api.tamper = lie)],
  ]

  it.each(troubles)(
    '%s, the page is filled from the second source, by blob, chunk and from IPFS',
    async (how, make) => {
      const body = onChain(`blob ${how}`) + onChain(`chunk ${how}`, 'type="chunk"') + (await onIpfs(`file ${how}`))
      const page = await open(body, second.url)
      make()
      const outcomes = [...(await fill(page, 'Bitcoin')), ...(await fill(page, 'IPFS'))]
      expect(outcomes.map(({ status, message }) => message ?? status)).toEqual(['filled', 'filled', 'filled'])
      expect(await page.locator('p').allTextContents()).toEqual([`blob ${how}`, `chunk ${how}`, `file ${how}`])
    },
  )

  it('is gone before anything but hook.js came, parts and frames come from the second source too', async () => {
    const src = storeContent(lab.worker, 'Bitcoin', '<p id="in">framed</p>')
    const page = await lab.open('', { head: head(second.url) })
    await page.evaluate(() => window.hook.db)
    lab.api.cut = true
    const body = `<div class="Bitcoin" data-mimetype="text/html" data-src="${src}"></div>${await onIpfs('from IPFS')}`
    await page.evaluate((html) => document.body.insertAdjacentHTML('beforeend', html), body)
    const outcomes = [...(await fill(page, 'Bitcoin')), ...(await fill(page, 'IPFS'))]
    expect(outcomes.map(({ status, message }) => message ?? status)).toEqual(['filled', 'filled'])
    expect(await page.frameLocator('div iframe').locator('#in').textContent()).toBe('framed')
    const parts = second.seen.map(({ path }) => path.replace(/\.[\w-]{16}\./, '.'))
    expect(parts).toEqual(expect.arrayContaining(['/hook/show.js', '/hook/brotli.wasm', '/hook/sources.js', '/frame']))
  })

  it('hangs, one element waits a second for it, and those that come later do not', async () => {
    const page = await open(onChain('first') + onChain('second') + onChain('third'), second.url)
    await page.clock.install()
    await page.clock.pauseAt(Date.now() + 60_000)
    lab.api.tamper = tampering('hang')
    const texts = () => page.locator('p').allTextContents()
    await page.evaluate(() => {
      const first = document.createElement('div')
      document.body.prepend(first)
      first.append(document.querySelector('p') ?? '')
      void window.hook('Bitcoin', first)
    })
    await expect.poll(() => asked(lab.api).length).toBe(1)
    await page.clock.runFor(999)
    expect([asked(second).length, await texts()]).toEqual([0, ['kept', 'kept', 'kept']])
    await page.clock.runFor(1)
    await expect.poll(texts).toEqual(['first', 'kept', 'kept'])
    // The clock stands.
    expect(await fill(page, 'Bitcoin')).toMatchObject([{ status: 'filled' }, { status: 'filled' }])
    expect(await texts()).toEqual(['first', 'second', 'third'])
  })
})

describe('a page with a strict policy', () => {
  const policy = (connect: string) => {
    const hosts = `${lab.api.url} ${second.url}`
    return `default-src 'none'; script-src ${hosts} 'wasm-unsafe-eval' blob:; frame-src ${hosts}; connect-src ${connect};
      require-trusted-types-for 'script'; trusted-types hookline`.replaceAll('\n', '')
  }

  it('that allows what is documented is filled from the second source, frames included, without a violation', async () => {
    const src = storeContent(lab.worker, 'Bitcoin', '<p id="in">framed</p>')
    const framed = `<div class="Bitcoin" data-mimetype="text/html" data-src="${src}"></div>`
    const told: string[] = []
    const context = await lab.browser.newContext()
    context.on('console', (message) => told.push(message.text()))
    const page = await lab.open(framed + onChain('strict') + (await onIpfs('strict too')), {
      head: head(second.url),
      policy: policy(`${lab.api.url} ${second.url}`),
      context,
    })
    lab.api.cut = true
    const outcomes = [...(await fill(page, 'Bitcoin')), ...(await fill(page, 'IPFS'))]
    expect(outcomes.map(({ status, message }) => message ?? status)).toEqual(['filled', 'filled', 'filled'])
    expect(await page.frameLocator('div iframe').locator('#in').textContent()).toBe('framed')
    expect(told.filter((text) => text.includes('Content Security Policy'))).toEqual([])
  })

  it('that does not allow a gateway has it passed over', async () => {
    const page = await lab.open(onChain('refused'), {
      head: head(second.url, third.url),
      policy: policy(`${lab.api.url} ${third.url}`),
    })
    await page.evaluate(() => window.hook.node)
    third.seen.length = 0
    lab.api.tamper = tampering(500)
    expect(await fill(page, 'Bitcoin')).toMatchObject([{ status: 'filled' }])
    expect(asked(third).length).toBeGreaterThan(0)
  })
})

describe('a source', () => {
  it('that may not serve it (451) is final: nobody else is asked', async () => {
    const page = await open(onChain('denied') + (await onIpfs('denied too')), second.url)
    lab.api.tamper = tampering(451)
    expect([...(await fill(page, 'Bitcoin')), ...(await fill(page, 'IPFS'))]).toMatchObject([
      { status: 'failed', code: 'denied' },
      { status: 'failed', code: 'denied' },
    ])
    expect(asked(second)).toEqual([])
  })

  it('that has lied is the last for that kind as long as the page lives, and not for the other', async () => {
    const body = onChain('one') + onChain('two') + (await onIpfs('three'))
    const page = await open(body, second.url)
    await page.evaluate(() => document.querySelector('p')?.setAttribute('id', 'first'))
    lab.api.tamper = lie
    const one = (selector: string, blockchain: string) =>
      page.evaluate(
        async ([which, name]) => {
          const root = document.createElement('div')
          document.body.append(root)
          root.append(document.querySelector(which ?? '') ?? '')
          return (await window.hook(name ?? '', root)).map(({ status }) => status)
        },
        [selector, blockchain],
      )
    expect(await one('#first', 'Bitcoin')).toEqual(['filled'])
    lab.api.tamper = undefined
    lab.api.seen.length = 0
    second.seen.length = 0
    expect(await one('p.Bitcoin:not(#first)', 'Bitcoin')).toEqual(['filled'])
    expect([asked(lab.api).length, asked(second).length]).toEqual([0, 1])
    second.seen.length = 0
    expect(await one('p.IPFS', 'IPFS')).toEqual(['filled'])
    expect(asked(lab.api).length).toBeGreaterThan(0)
    expect(asked(second)).toEqual([])
  })

  it('is asked again where the others have nothing, though it has lied', async () => {
    const page = await open(onChain('honest again', 'class="Bitcoin again"'), second.url)
    second.tamper = tampering(404)
    lab.api.tamper = lie
    expect(await fill(page, 'Bitcoin')).toMatchObject([{ status: 'failed', code: 'not_verified' }])
    lab.api.tamper = undefined
    expect(await fill(page, 'Bitcoin')).toMatchObject([{ status: 'filled' }])
  })

  it('that lies as all others do leaves the element as it was', async () => {
    const page = await open(onChain('lies') + (await onIpfs('lies too')), second.url, third.url)
    for (const proxy of [lab.api, second, third]) proxy.tamper = lie
    expect([...(await fill(page, 'Bitcoin')), ...(await fill(page, 'IPFS'))]).toMatchObject([
      { status: 'failed', code: 'not_verified' },
      { status: 'failed', code: 'not_verified' },
    ])
    expect(await page.locator('p').allTextContents()).toEqual(['kept', 'kept'])
  })

  it('that sends elsewhere is passed over, and elsewhere is never asked', async () => {
    const page = await open(onChain('here') + (await onIpfs('here too')), second.url)
    lab.api.tamper = tampering(404)
    const elsewhere: Tamper = (path) => (content(path) ? { location: `${third.url}${path}` } : undefined)
    second.tamper = elsewhere
    expect([...(await fill(page, 'Bitcoin')), ...(await fill(page, 'IPFS'))]).toMatchObject([
      { status: 'failed', code: 'not_found' },
      { status: 'failed', code: 'not_found' },
    ])
    expect(asked(second).length).toBeGreaterThan(0)
    expect(asked(third)).toEqual([])
  })

  it('is told neither who looks at the page nor at which', async () => {
    const context = await lab.browser.newContext()
    await context.addCookies([lab.api, second].map(({ url }) => ({ name: 'who', value: 'ada', url })))
    const page = await lab.open(onChain('secret') + (await onIpfs('secret too')), { head: head(second.url), context })
    lab.api.tamper = tampering(404)
    second.seen.length = 0
    expect([...(await fill(page, 'Bitcoin')), ...(await fill(page, 'IPFS'))]).toMatchObject([
      { status: 'filled' },
      { status: 'filled' },
    ])
    expect(asked(second).length).toBeGreaterThan(1)
    for (const { headers } of second.seen) {
      expect([headers.cookie, headers.authorization, headers.referer]).toEqual([undefined, undefined, undefined])
    }
  })

  it('that is slow is asked no more once another has it, or the element asks for something else', async () => {
    const page = await open(onChain('raced') + (await onIpfs(randomBytes(3000))), second.url)
    lab.api.tamper = tampering('hang')
    expect(await fill(page, 'Bitcoin')).toMatchObject([{ status: 'filled' }])
    await expect.poll(() => [...lab.api.open]).toEqual([])

    second.tamper = tampering('hang')
    await page.evaluate(() => {
      Reflect.set(window, 'ended', window.hook('IPFS'))
    })
    await expect.poll(() => [lab.api.open.size, second.open.size]).toEqual([1, 1])
    await page.evaluate(() => document.querySelector('.IPFS')?.setAttribute('data-src', 'bafkqaaa'))
    const both = await page.evaluate(async () => {
      const late = await window.hook('IPFS')
      const early: { status: string; error?: { code: string } }[] = await Reflect.get(window, 'ended')
      return [early[0]?.error?.code, late[0]?.status]
    })
    expect(both).toEqual(['aborted', 'filled'])
    await expect.poll(() => [lab.api.open.size, second.open.size]).toEqual([0, 0])
  })
})
