import type { BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest'
import { carOf } from '../kit/car-of.ts'
import { launchBrowser } from '../kit/launch-browser.ts'
import { startRecordingFront } from '../kit/recording-front.ts'
import { silentWav } from '../kit/silent-wav.ts'
import { storeFiles } from '../kit/store-files.ts'
import { storeContent } from '../kit/write-content.ts'
import { fill, useLab } from './lab.ts'

const lab = await useLab()
/** What the hosts of frames are asked for. */
const front = await startRecordingFront(lab.worker.url)
afterAll(() => front.close())
beforeEach(() => {
  front.seen.length = 0
})

/** A tag that shows sites below the storage host of the Worker. */
const head = (more = '') =>
  `<script src="${lab.api.url}/hook.js" data-frames="storage.localhost:${front.port}" ${more}></script>`

const SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="3" height="3"><rect width="3" height="3" fill="red"/></svg>'
const FILES: Record<string, string | Uint8Array> = {
  'index.html': `<!doctype html><title>home</title><link rel="stylesheet" href="/look.css">
    <script type="module" src="app/main.js"></script>
    <img id="dot" src="img/dot.svg"><a id="go" href="guide/page.html?x=1#far">guide</a> <a id="gone" href="nowhere.html?typed">gone</a>
    <a id="folder" href="guide">folder</a> <a id="save" href="data.json" download>save</a>
    <form action="guide/page.html"><input name="q" value="typed"><button>Search</button></form>`,
  'app/main.js': `import { name } from './name.js'
    const told = await (await fetch('../data.json')).json()
    document.title += ', ' + name + ', ' + told.words`,
  'app/name.js': 'export const name = "runs"',
  'data.json': '{"words":"fetched"}',
  'img/dot.svg': SVG,
  'img/a,b.svg': SVG,
  'img/(c).svg': SVG,
  'guide/page.html': `<!doctype html><title>guide</title><link rel="stylesheet" href="../look.css"><p>read</p>
    <div style="height:5000px"></div><h2 id="far">far</h2>`,
  'guide/index.html': '<!doctype html><title>folder</title><p>folder</p>',
  'look.css': 'p { color: rgb(1, 2, 3) }',
  '404.html': '<!doctype html><title>nothing</title><p>Nothing is here.</p>',
  'latin.html': Buffer.from('<meta charset="iso-8859-1"><title>gr\u00fc\u00dfe</title><p>\u00e4', 'latin1'),
  'bom.html': Buffer.from('\ufeff<!doctype html><meta charset="iso-8859-1"><title>gr\u00fc\u00dfe</title>'),
  'quirks.html': '<title>quirks</title><p>old',
  'frames.html':
    '<frameset cols="50%,50%"><frame name="left" src="left.html"><frame name="right" src="guide/page.html"></frameset>',
  'left.html': `<body background="img/dot.svg"><img src="img/dot.svg"><a href="latin.html" target="right">latin</a>`,
  'pictures.html': `<!doctype html><base href="/img/"><img id="a" srcset="dot.svg 1x, a,b.svg 2x"><img id="b" src="(c).svg">
    <div id="c" style="background:image-set('dot.svg' 1x);width:9px;height:9px"></div>
    <template><img src="dot.svg"></template><iframe srcdoc="<img src='dot.svg'>"></iframe>`,
  'noscript.html':
    '<!doctype html><head><noscript><img src="/tracker.svg"></noscript><link rel="stylesheet" href="look.css"></head><p>read',
  'sound.wav': silentWav(2),
  'worker.html': `<!doctype html><title>waiting</title><script>
    const worker = new Worker('app/work.js')
    worker.onmessage = async ({ data }) => {
      const registered = await navigator.serviceWorker.register('sw.js').then(() => 'registered', () => 'refused')
      document.title = data + ', ' + registered + ', ' + (await (await fetch('data.json')).json()).words
    }</script>`,
  'app/work.js': `importScripts('more.js'); fetch('../data.json').then((r) => r.json()).then(({ words }) => postMessage(words + more))`,
  'app/more.js': 'const more = " by a worker"',
  'sw.js': 'onfetch = (event) => event.respondWith(new Response("theirs"))',
}

const frame = (content: Uint8Array | string, attributes = '') =>
  `<iframe class="Nativecoin" type="blob" data-mimetype="text/html" width="600" height="400" ${attributes}
     data-src="${storeContent(lab.worker, 'Nativecoin', content)}"></iframe>`
const car = await carOf(FILES)

const inside = (page: Page) => page.frameLocator('iframe').frameLocator('iframe')
/** The frame that the site is in. */
const site = (page: Page) => {
  const found = page.frames()[2]
  if (!found) throw new Error('there is no inner frame')
  return found
}
const titleOf = (page: Page) => site(page).evaluate(() => document.title)

async function open(path = '', more: { attributes?: string; context?: BrowserContext } = {}): Promise<Page> {
  const page = await lab.open(frame(car, `data-path="${path}" ${more.attributes ?? ''}`), {
    head: head(),
    ...(more.context && { context: more.context }),
  })
  page.setDefaultTimeout(20_000)
  expect(await fill(page, 'Nativecoin')).toMatchObject([{ status: 'filled' }])
  return page
}

/** What a host of frames may be asked for. */
const OURS = / [a-z2-7]{52}\.storage\.localhost:\d+\/\.hookline\/(shell|worker\.js)$/

describe('a site in a frame', () => {
  it('runs from verified bytes on a host of its own: modules, fetch, links, fragments and queries', async () => {
    const page = await open()
    await expect.poll(() => titleOf(page)).toBe('home, runs, fetched')
    expect(await site(page).evaluate(() => [location.pathname, document.images[0]?.naturalWidth])).toEqual(['/', 3])
    await inside(page).locator('#go').click()
    await inside(page).getByText('read').waitFor()
    const place = () => site(page).evaluate(() => [location.pathname, location.search, location.hash, scrollY > 1000])
    await expect.poll(place).toEqual(['/guide/page.html', '?x=1', '#far', true])
    await page.evaluate(() => history.back())
    await inside(page).locator('#go').waitFor()
    await page.evaluate(() => history.forward())
    await inside(page).getByText('read').waitFor()
    expect(front.seen.filter((request) => !OURS.test(request))).toEqual([])
  })

  it('opens at the page, the query and the fragment that the element names', async () => {
    const page = await open('guide/page.html?x=2#far')
    const place = () => site(page).evaluate(() => [location.pathname, location.search, location.hash, scrollY > 1000])
    await expect.poll(place).toEqual(['/guide/page.html', '?x=2', '#far', true])
  })

  it('sends its forms to its own pages, and says where it has none', async () => {
    const page = await open()
    await inside(page).locator('button').click()
    await expect.poll(() => site(page).evaluate(() => location.search)).toBe('?q=typed')
    await page.evaluate(() => history.back())
    await inside(page).locator('#gone').click()
    await inside(page).getByText('Nothing is here.').waitFor()
    await page.evaluate(() => history.back())
    await inside(page)
      .locator('form')
      .evaluate((form) => form.setAttribute('method', 'post'))
    await inside(page).locator('button').click()
    await inside(page).getByText('takes nothing').waitFor()
    expect(front.seen.filter((request) => !OURS.test(request))).toEqual([])
  })

  it('has its folders, downloads, frames, encodings and modes as on a server', async () => {
    const page = await open()
    await inside(page).locator('#folder').click()
    await expect.poll(() => site(page).evaluate(() => location.pathname + document.title)).toBe('/guide/folder')
    const go = (path: string) => site(page).evaluate((to) => void location.assign(to), path)
    await go('/latin.html')
    await expect.poll(() => titleOf(page)).toBe('gr\u00fc\u00dfe')
    expect(await site(page).evaluate(() => document.compatMode)).toBe('BackCompat')
    await go('/bom.html')
    await expect
      .poll(() => site(page).evaluate(() => [document.title, document.characterSet, document.compatMode]))
      .toEqual(['gr\u00fc\u00dfe', 'UTF-8', 'CSS1Compat'])
    await go('/frames.html')
    await inside(page).frameLocator('[name=right]').getByText('read').waitFor()
    const left = inside(page).frameLocator('[name=left]')
    expect(await left.locator('img').evaluate((img) => img instanceof HTMLImageElement && img.naturalWidth)).toBe(3)
    await left.locator('a').click()
    await inside(page).frameLocator('[name=right]').getByText('\u00e4').waitFor()
    expect(front.seen.filter((request) => !OURS.test(request))).toEqual([])
  })

  it('saves what a link with download names', async () => {
    const page = await open()
    const [download] = await Promise.all([page.waitForEvent('download'), inside(page).locator('#save').click()])
    const stream = await download.createReadStream()
    const parts: Buffer[] = []
    for await (const part of stream) parts.push(part)
    expect(Buffer.concat(parts).toString()).toBe(FILES['data.json'])
    expect(front.seen.filter((request) => !OURS.test(request))).toEqual([])
  })

  it('has its pictures by whatever names them', async () => {
    const page = await open('pictures.html')
    const seen = () =>
      site(page).evaluate(() => [
        ...[...document.images].map(({ naturalWidth }) => naturalWidth),
        performance.getEntriesByType('resource').map(({ name }) => new URL(name).pathname.slice(5)),
        document.querySelector('iframe')?.contentDocument?.images[0]?.naturalWidth,
      ])
    await expect.poll(seen).toEqual([3, 3, expect.arrayContaining(['dot.svg', '(c).svg']), 3])
  })

  it('loads nothing of a noscript element', async () => {
    const page = await open('noscript.html')
    const seen = await site(page).evaluate(() => [
      performance.getEntriesByType('resource').map(({ name }) => new URL(name).pathname),
      document.querySelector('link')?.parentElement?.localName,
    ])
    expect(seen).toEqual([['/look.css'], 'head'])
  })

  it('has workers, but no service worker of its own', async () => {
    const page = await open('worker.html')
    await expect.poll(() => titleOf(page)).toBe('fetched by a worker, refused, fetched')
    await site(page).evaluate(() => location.reload())
    await expect.poll(() => titleOf(page)).toBe('fetched by a worker, refused, fetched')
    const others = front.seen
      .filter((request) => !OURS.test(request))
      .map((request) => request.replace(/^\S+ [^/]+/, ''))
    expect([...new Set(others)]).toEqual(['/sw.js'])
  })

  it('plays sound in pieces', async () => {
    const page = await open()
    const answer = await site(page).evaluate(async () => {
      const read = async (Range: string) => {
        const response = await fetch('/sound.wav', { headers: { Range } })
        return [response.status, response.headers.get('Content-Range'), (await response.arrayBuffer()).byteLength]
      }
      const sound = new Audio('/sound.wav')
      await new Promise((resolve, reject) => {
        sound.onloadedmetadata = resolve
        sound.onerror = reject
      })
      return [await read('bytes=0-3'), await read('bytes=-2'), await read('bytes=99999999-'), sound.duration > 1]
    })
    const { length } = silentWav(2)
    expect(answer).toEqual([
      [206, `bytes 0-3/${length}`, 4],
      [206, `bytes ${length - 2}-${length - 1}/${length}`, 2],
      [416, `bytes */${length}`, 0],
      true,
    ])
  })

  it('from IPFS reads each file when it is asked for, and says what could not be verified', async () => {
    const { root } = await storeFiles(lab.worker, FILES)
    const page = await lab.open(
      `<div class="IPFS" data-mimetype="text/html" data-src="${root}" style="height:400px"></div>
       <script>addEventListener('hook:error', ({ detail }) => { window.told = detail.error.code })</script>`,
      { head: head() },
    )
    lab.api.tamper = (path, body) => {
      if (!/look\.css|guide/.test(path)) return undefined
      const at = Buffer.from(body).indexOf('color')
      if (at > 0) body.set([0x43], at)
      return body
    }
    expect(await fill(page, 'IPFS')).toMatchObject([{ status: 'filled' }])
    await expect.poll(() => titleOf(page)).toBe('home, runs, fetched')
    lab.api.tamper = (path, body) => (/frame/.test(path) ? undefined : body.map((byte) => byte ^ 1))
    await site(page).evaluate(() => void location.assign('/quirks.html'))
    await expect.poll(() => page.evaluate(() => Reflect.get(window, 'told'))).toBe('not_verified')
    expect(await site(page).evaluate(() => document.body.textContent)).not.toContain('old')
    lab.api.tamper = undefined
  })

  it('of one file is a page alone', async () => {
    const page = await lab.open(frame('<!doctype html><title>alone</title><a href="#x">x</a><p id="x">words'), {
      head: head(),
    })
    expect(await fill(page, 'Nativecoin')).toMatchObject([{ status: 'filled' }])
    expect(await site(page).evaluate(() => [document.title, location.pathname])).toEqual(['alone', '/'])
    await inside(page).locator('a').click()
    expect(await site(page).evaluate(() => location.hash)).toBe('#x')
  })

  it('opens again where it lies in the page anew, and without our hosts', async () => {
    const context = await lab.browser.newContext()
    const page = await open('', { context })
    await expect.poll(() => titleOf(page)).toBe('home, runs, fetched')
    await page.evaluate(() => document.body.append(document.querySelector('iframe') ?? ''))
    await expect.poll(() => titleOf(page)).toBe('home, runs, fetched')
    front.cut = true
    const again = await context.newPage()
    await again.goto(page.url())
    await fill(again, 'Nativecoin')
    await expect.poll(() => titleOf(again)).toBe('home, runs, fetched')
    front.cut = false
  })
})

describe('the host of a site in a frame', () => {
  const heading = '<!doctype html><title>mine</title><h1>words</h1>'
  /** Whether the site is on a host of its own. */
  const isOnHost = async (page: Page) => page.frames().some((one) => one.url().includes('/.hookline/shell'))
  /** What the API host says of frames, where it says anything. */
  const named = (storage: string | undefined) => {
    lab.api.tamper = (path) =>
      path === '/hook.json' ? new TextEncoder().encode(JSON.stringify({ frames: storage })) : undefined
  }
  const plain = `<script src="${lab.api.url}/hook.js"></script>`
  const shown = (page: Page, isInside: boolean) =>
    (isInside ? inside(page) : page.frameLocator('iframe')).getByRole('heading', { name: 'words' }).waitFor()
  afterEach(() => {
    lab.api.tamper = undefined
  })

  it('is the one that the API host names, without a word of the page', async () => {
    named(`storage.localhost:${front.port}`)
    const page = await lab.open(frame(heading), { head: plain })
    expect(await fill(page, 'Nativecoin')).toMatchObject([{ status: 'filled' }])
    await shown(page, true)
    expect(front.seen.map((request) => request.replace(/[a-z2-7]{52}/, 'label'))).toContain(
      `GET label.storage.localhost:${front.port}/.hookline/shell`,
    )
  })

  it.each<[string, string | undefined, Parameters<typeof lab.open>[1] & { sandbox?: string }]>([
    ['is none where the API host names none', undefined, {}],
    ['is none where the API host names what is no host', 'a/b', {}],
    ['is none where the page says so', 'storage', { head: plain.replace('><', ' data-frames="none"><') }],
    ['is none where the author has a sandbox', 'storage', { sandbox: 'sandbox="allow-scripts"' }],
    ['is none where the policy of the page refuses it', 'storage', { policy: `frame-src ${lab.api.url}` }],
    ['is none where the page lies below it', 'localhost', {}],
  ])('%s: /frame shows it', async (_, storage, { sandbox = '', ...more }) => {
    named(storage === 'storage' ? `storage.localhost:${front.port}` : storage)
    const page = await lab.open(frame(heading, sandbox), { head: plain, ...more })
    expect(await fill(page, 'Nativecoin')).toMatchObject([{ status: 'filled' }])
    await shown(page, false)
    expect(await isOnHost(page)).toBe(false)
  })

  it('is none where the page is by plain http: /frame shows it', async () => {
    named(`storage.localhost:${front.port}`)
    const url = new URL(lab.pages.serve({ body: `<!doctype html><title>page</title>${plain}${frame(heading)}` }))
    // Any name but localhost: the browser resolves it there all the same.
    url.hostname = 'page.test'
    const browser = await launchBrowser(['--host-resolver-rules=MAP page.test 127.0.0.1'])
    try {
      const page = await browser.newPage()
      await page.goto(url.href)
      expect(await page.evaluate(() => isSecureContext)).toBe(false)
      expect(await fill(page, 'Nativecoin')).toMatchObject([{ status: 'filled' }])
      await shown(page, false)
      expect(await isOnHost(page)).toBe(false)
    } finally {
      await browser.close()
    }
  })

  it('is remembered: what was seen before is shown while neither it nor the API host answers', async () => {
    named(`storage.localhost:${front.port}`)
    const context = await lab.browser.newContext()
    const page = await lab.open(frame(car), { head: plain, context })
    await fill(page, 'Nativecoin')
    await expect.poll(() => titleOf(page)).toBe('home, runs, fetched')
    front.cut = true
    lab.api.cut = true
    const again = await context.newPage()
    await again.goto(page.url())
    expect(await fill(again, 'Nativecoin')).toMatchObject([{ status: 'filled' }])
    await expect.poll(() => titleOf(again)).toBe('home, runs, fetched')
    lab.api.cut = false
    front.cut = false
  })

  it('is isolated where the page is', async () => {
    named(`storage.localhost:${front.port}`)
    const page = await lab.open(frame(`${heading}<script>document.title = crossOriginIsolated</script>`), {
      head: plain.replace('><', ' crossorigin><'),
      headers: { 'Cross-Origin-Opener-Policy': 'same-origin', 'Cross-Origin-Embedder-Policy': 'require-corp' },
    })
    expect(await page.evaluate(() => crossOriginIsolated)).toBe(true)
    expect(await fill(page, 'Nativecoin')).toMatchObject([{ status: 'filled' }])
    await shown(page, true)
    expect(front.seen.some((request) => request.endsWith('/.hookline/shell?isolated'))).toBe(true)
  })
})

describe('a site in a frame that would leave with what was typed', () => {
  const leave = (content: string) => `<!doctype html><title>site</title><p id="here">here</p>${content}`
  const click =
    'setTimeout(() => document.querySelector("#link").dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true })))'
  const API = () => `${lab.api.url}/?typed`
  /** Each with a script, and what the frame shows then: the site as it was, another page of it, or that it leads away. */
  const attempts: [name: string, content: (to: string) => string][] = [
    ['location', (to) => `<script>location = '${to}'</script>`],
    [
      'a form by GET',
      (to) =>
        `<form action="${to}"><input name="typed" value="typed"></form><script>document.forms[0].submit()</script>`,
    ],
    [
      'a form by POST',
      (to) =>
        `<form action="${to}" method="post"><input name="typed" value="typed"></form><script>document.forms[0].submit()</script>`,
    ],
    [
      'a form into the whole window',
      (to) =>
        `<form action="${to}" target="_top"><input name="typed" value="typed"></form><script>document.forms[0].submit()</script>`,
    ],
    ['a refresh', (to) => `<meta http-equiv="refresh" content="0;url=${to}">`],
    ['a link into the whole window', (to) => `<a id="link" target="_top" href="${to}">x</a><script>${click}</script>`],
    [
      'a link into the frame above',
      (to) => `<a id="link" target="_parent" href="${to}">x</a><script>${click}</script>`,
    ],
    ['a link into a new window', (to) => `<a id="link" target="_blank" href="${to}">x</a><script>${click}</script>`],
    ['window.open', (to) => `<script>try { window.open('${to}') } catch {}</script>`],
    ['top.location', (to) => `<script>try { top.location = '${to}' } catch {}</script>`],
    ['parent.location', (to) => `<script>try { parent.location = '${to}' } catch {}</script>`],
    ['a base', (to) => `<base href="${to}"><a id="link" href="?typed">x</a><script>${click}</script>`],
    ['a link in SVG', (to) => `<svg><a id="link" href="${to}"><text y="9">x</text></a></svg><script>${click}</script>`],
    ['a ping', (to) => `<a id="link" href="#x" ping="${to}">x</a><script>${click}</script>`],
    ['a beacon', (to) => `<script>navigator.sendBeacon('${to}', 'typed')</script>`],
    ['a fetch', (to) => `<script>fetch('${to}', { method: 'POST', body: 'typed' }).catch(() => {})</script>`],
    [
      'a web socket',
      (to) =>
        `<script>try { new WebSocket(new URL('${to}', location.href).href.replace('http', 'ws')) } catch {}</script>`,
    ],
  ]
  it.each(attempts)('by %s reaches no host of ours', async (_, content) => {
    const page = await lab.open(
      [API(), '/other?typed', API().replace('/?', '/v0/health?')].map((to) => frame(leave(content(to)))).join(''),
      { head: head() },
    )
    const opened: string[] = []
    page.context().on('page', (other) => opened.push(other.url()))
    lab.api.seen.length = 0
    const before = page.url()
    await fill(page, 'Nativecoin')
    // What leaves does so within a moment.
    await page.waitForTimeout(700)
    expect(front.seen.filter((request) => !OURS.test(request))).toEqual([])
    expect(lab.api.seen.map(({ path }) => path).filter((path) => path.includes('typed'))).toEqual([])
    expect([page.url(), opened]).toEqual([before, []])
  })

  it('is said to lead away, and comes back', async () => {
    const page = await lab.open(frame(leave(`<a id="link" href="${lab.pages.origin}/other">x</a>`)), { head: head() })
    await fill(page, 'Nativecoin')
    await inside(page).locator('#link').click()
    await page.frameLocator('iframe').getByText('leads to another address').waitFor()
    await page.frameLocator('iframe').locator('button').click()
    await inside(page).locator('#here').waitFor()
  })

  it('leaves where the author allows it', async () => {
    const other = lab.pages.serve({ body: '<p>elsewhere</p>' })
    const page = await lab.open(frame(leave(`<a id="link" href="${other}">x</a>`), 'data-allow="navigate"'), {
      head: head(),
    })
    await fill(page, 'Nativecoin')
    await inside(page).locator('#link').click()
    await inside(page).getByText('elsewhere').waitFor()
  })
})
