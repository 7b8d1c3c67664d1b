import { describe, expect, it } from 'vitest'
import { launchBrowser } from '../kit/launch-browser.ts'
import { storeFiles } from '../kit/store-files.ts'
import { storeContent } from '../kit/write-content.ts'
import { fill, useLab } from './lab.ts'

const lab = await useLab()

const words = (text: string, attributes = '') => {
  const src = storeContent(lab.worker, 'Bitcoin', text)
  return `<p class="Bitcoin" type="blob" data-mimetype="text/plain" data-src="${src}" ${attributes}></p>`
}

/** Notes the two document events, from before anything else of the page. */
const LISTENER = `<script>
  window.heard = []
  for (const name of ['dbReady', 'nodeReady']) document.addEventListener(name, (event) => {
    const { helia, ...detail } = event.detail
    heard.push([event.type, detail, typeof helia?.blockstore.get, event.target === document, typeof window.hook])
  })
</script>`

describe('hook.js', () => {
  it('tells the document when the database and the node are ready, and has promises of the same', async () => {
    const page = await lab.open('', { head: `${LISTENER}<script src="${lab.api.url}/hook.js" async></script>` })
    await page.waitForFunction(() => Reflect.get(window, 'heard').length === 2)
    expect(await page.evaluate(() => Reflect.get(window, 'heard'))).toEqual([
      ['dbReady', { persistent: true }, 'undefined', true, 'function'],
      ['nodeReady', {}, 'undefined', true, 'function'],
    ])
    expect(await page.evaluate(() => window.hook.db)).toEqual({ persistent: true })
    expect(await page.evaluate(() => window.hook.node.then(Object.keys))).toEqual(['helia'])
  })

  it('waits for the whole page: deferred scripts hear it, and elements that come late are filled', async () => {
    const run = lab.pages.serve({
      type: 'text/javascript',
      body: `document.addEventListener('dbReady', async () => { await hook('Bitcoin'); document.title = 'all filled' })`,
    })
    const late = '<!-- -->'.repeat(20_000)
    const page = await lab.open(`${words('one')}${late}${words('two')}`, {
      head: `<script>window.early = []</script><script src="${lab.api.url}/hook.js"></script>
             <script>early.push(hook('Bitcoin'))</script><script src="${run}" defer></script>`,
    })
    await page.waitForFunction(() => document.title === 'all filled')
    expect(await page.locator('p').allTextContents()).toEqual(['one', 'two'])
  })

  it('tells that the node can not be had, so that a page does not wait for ever', async () => {
    lab.api.tamper = (path) => (path.startsWith('/hook/ipfs.') ? 'cut' : undefined)
    const page = await lab.open('<p class="IPFS" type="blob" data-mimetype="text/plain" data-src="bafkqaaa"></p>', {
      head: `${LISTENER}<script src="${lab.api.url}/hook.js"></script>`,
    })
    expect(await page.evaluate(() => window.hook.node.then(({ error }) => error?.message))).toContain(
      'could not be loaded',
    )
    lab.api.tamper = undefined
    // The next call tries again.
    expect(await fill(page, 'IPFS')).toMatchObject([{ status: 'filled' }])
  })

  it('loads the node at once for a page with an IPFS element, and what decodes and shows only where it is needed', async () => {
    const loaded = async (body: string) => {
      lab.api.seen.length = 0
      const page = await lab.open(body)
      await page.evaluate(() => window.hook.db)
      await page.waitForLoadState('networkidle')
      return lab.api.seen.map(({ path }) => path.replace(/\.[\w-]{16}\./, '.<hash>.')).sort()
    }
    expect(await loaded('<p class="IPFS"></p>')).toEqual(['/hook.js', '/hook/ipfs.<hash>.js', '/hook/show.<hash>.js'])
    expect(await loaded('<p class="Bitcoin"></p>')).toEqual(['/hook.js', '/hook/show.<hash>.js'])
    expect(await loaded('<p></p>')).toEqual(['/hook.js'])
  })

  it('runs once however often it is included, and leaves no global but hook', async () => {
    const url = lab.api.url
    const pinned = lab.worker.url
    const before = await (await lab.open('', { head: '' })).evaluate(() => Object.keys(window))
    const page = await lab.open(words('once'), {
      head: `<script src="${url}/hook.js"></script><script src="${url}/hook.js?again"></script>
             <script src="${pinned}/hook.js" async></script>`,
      policy: `require-trusted-types-for 'script'; trusted-types hookline`,
    })
    await page.waitForLoadState()
    const first = await page.evaluate(() => Object.keys(window))
    expect(first.filter((name) => !before.includes(name))).toEqual(['hook'])
    lab.api.seen.length = 0
    const both = await page.evaluate(async () => {
      const results = await Promise.all([window.hook('Bitcoin'), window.hook('Bitcoin')])
      return results.map((list) => list.map(({ status }) => status))
    })
    expect(both).toEqual([['filled'], ['filled']])
    expect(lab.api.seen.filter(({ path }) => path.startsWith('/v0/tx')).length).toBe(1)
  })

  it('fills only what is under the root that it is given', async () => {
    const page = await lab.open(`${words('outside', 'id="out"')}<div>${words('inside', 'id="in"')}</div>`)
    const filled = await page.evaluate(async () => {
      const root = document.querySelector('div') ?? undefined
      return (await window.hook('Bitcoin', root)).map(({ element }) => element.id)
    })
    expect(filled).toEqual(['in'])
    expect(await page.locator('#out').textContent()).toBe('')
  })

  it('takes the capitals of a chain as they are, in quirks mode too, and rejects unknown names', async () => {
    const url = lab.pages.serve({
      body: `<script src="${lab.api.url}/hook.js"></script>${words('x').replace('Bitcoin', 'bitcoin')}`,
    })
    const page = await lab.browser.newPage()
    await page.goto(url)
    expect(await page.evaluate(() => document.compatMode)).toBe('BackCompat')
    expect(await fill(page, 'Bitcoin')).toEqual([])
    const refused = await page.evaluate(() => window.hook('bitcoin').catch((error) => error.code))
    expect(refused).toBe('invalid_blockchain')
  })

  it('talks to the API of data-base-url when it has one', async () => {
    lab.api.seen.length = 0
    const page = await lab.open(words('elsewhere'), {
      head: `<script src="${lab.worker.url}/hook.js" data-base-url="${lab.api.url}/"></script>`,
    })
    expect(await fill(page, 'Bitcoin')).toMatchObject([{ status: 'filled' }])
    expect(lab.api.seen.some(({ path }) => path.startsWith('/v0/tx/Bitcoin/'))).toBe(true)
  })

  it('under its immutable name runs with the integrity that the page pins', async () => {
    const plain = await (await fetch(`${lab.api.url}/hook.js`)).arrayBuffer()
    const digest = Buffer.from(await crypto.subtle.digest('SHA-256', plain))
    const path = `/hook.${digest.toString('hex').slice(0, 16)}.js`
    const page = await lab.open(words('pinned'), {
      head: `<script src="${lab.api.url}${path}" integrity="sha256-${digest.toString('base64')}" crossorigin></script>`,
    })
    expect(await fill(page, 'Bitcoin')).toMatchObject([{ status: 'filled' }])
  })
})

describe('a page by plain http', () => {
  it('is filled and verified too, though the browser hashes nothing for it', async () => {
    const { cids } = await storeFiles(lab.worker, { 'a.txt': 'from IPFS' })
    const body = `${words('from a chain')}<p class="IPFS" type="blob" data-mimetype="text/plain" data-src="${cids['a.txt']}"></p>`
    const url = new URL(lab.pages.serve({ body: `<script src="${lab.api.url}/hook.js"></script>${body}` }))
    // Any name but localhost: the browser resolves it there all the same.
    url.hostname = 'page.test'
    const browser = await launchBrowser(['--host-resolver-rules=MAP page.test 127.0.0.1'])
    try {
      const page = await browser.newPage()
      await page.goto(url.href)
      expect(await page.evaluate(() => isSecureContext)).toBe(false)
      expect([...(await fill(page, 'Bitcoin')), ...(await fill(page, 'IPFS'))]).toMatchObject([
        { status: 'filled' },
        { status: 'filled' },
      ])
      expect(await page.locator('p').allTextContents()).toEqual(['from a chain', 'from IPFS'])
    } finally {
      await browser.close()
    }
  })
})

describe('a page that is hostile to the helper', () => {
  it('H1: an element named currentScript does not say where code comes from', async () => {
    const page = await lab.open(words('safe'), {
      head: `<img name="currentScript" src="https://evil.invalid/hook.js" data-base-url="https://evil.invalid">
             <form name="currentScript"></form><script src="${lab.api.url}/hook.js"></script>`,
    })
    const asked: string[] = []
    page.on('request', (request) => asked.push(new URL(request.url()).host))
    expect(await fill(page, 'Bitcoin')).toMatchObject([{ status: 'filled' }])
    expect(asked.length).toBeGreaterThan(0)
    expect(new Set(asked)).toEqual(new Set([new URL(lab.api.url).host]))
  })

  it('H1: nor do elements named as the methods and parts of the document stop it', async () => {
    const names = [
      'createElement',
      'querySelectorAll',
      'addEventListener',
      'dispatchEvent',
      'body',
      'head',
      'readyState',
      'hook',
    ]
    const page = await lab.open(words('safe'), {
      head: `${names.map((name) => `<img name="${name}" id="${name}">`).join('')}<script src="${lab.api.url}/hook.js"></script>`,
    })
    expect(await fill(page, 'Bitcoin')).toMatchObject([{ status: 'filled' }])
  })

  it('H10: names from attributes and answers reach no prototype', async () => {
    const src = storeContent(lab.worker, 'Bitcoin', '{"__proto__":{"polluted":1}}')
    const page = await lab.open(
      `<p class="Bitcoin __proto__ constructor" type="blob" data-mimetype="application/json" data-src="${src}"></p>
       <p class="IPFS" type="blob" data-mimetype="text/plain" data-src="bafkqaaa/__proto__/constructor">kept</p>`,
    )
    expect(await fill(page, 'Bitcoin')).toMatchObject([{ status: 'filled' }])
    expect(await fill(page, 'IPFS')).toMatchObject([{ status: 'failed' }])
    for (const name of ['__proto__', 'constructor', 'toString']) {
      expect(await page.evaluate((n) => window.hook(n).catch((error) => error.code), name)).toBe('invalid_blockchain')
    }
    expect(await page.evaluate(() => 'polluted' in {})).toBe(false)
  })

  it('H13: builtins that it has replaced see no secret, and the helper object can not be changed', async () => {
    const page = await lab.open(words('open'))
    const attempt = await page.evaluate(async () => {
      const seen: string[] = []
      const { fetch: own } = window
      window.fetch = (input, init) => {
        seen.push(`${input} ${JSON.stringify(init?.headers ?? null)} ${init?.credentials}`)
        return own(input, init)
      }
      const changed =
        Reflect.set(window.hook, 'db', 1) || Reflect.set(window, 'hook', 1) || Reflect.deleteProperty(window, 'hook')
      await window.hook('Bitcoin')
      return { seen, changed }
    })
    expect(attempt.changed).toBe(false)
    expect(attempt.seen.length).toBeGreaterThan(0)
    for (const line of attempt.seen) expect(line).toMatch(/ null omit$/)
  })
})
