import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { carOf } from '../kit/car-of.ts'
import { type PageServer, startPageServer } from '../kit/page-server.ts'
import { type RecordingFront, startRecordingFront } from '../kit/recording-front.ts'
import { type RunningWorker, startWorker } from '../kit/start-worker.ts'
import { storeContent } from '../kit/write-content.ts'
import { ENGINES } from './engines.ts'

let worker: RunningWorker
let pages: PageServer
/** What the hosts of frames are asked for. */
let front: RecordingFront

beforeAll(async () => {
  ;[worker, pages] = await Promise.all([startWorker(), startPageServer()])
  front = await startRecordingFront(worker.url)
})
afterAll(async () => {
  await front.close()
  await pages.close()
  await worker.close()
})

const SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="3" height="3"/>'
const FILES = {
  'index.html': `<!doctype html><title>home</title><script type="module" src="app/main.js"></script><img src="dot.svg">
    <a id="go" href="guide/page.html?x=1#far">guide</a> <a id="gone" href="nowhere.html">gone</a>
    <form action="found.html"><input name="q" value="typed"><button>Search</button></form>
    <noscript><img src="/tracker.svg"></noscript>`,
  'app/main.js': `const told = await (await fetch('/data.json')).json()
    document.title += ', ' + told.words`,
  'data.json': '{"words":"fetched"}',
  'dot.svg': SVG,
  'tracker.svg': SVG,
  'guide/page.html': '<title>guide</title><div style="height:5000px"></div><h2 id="far">far</h2>',
  'found.html': '<!doctype html><title>found</title>',
  '404.html': '<!doctype html><title>nothing</title>',
  'latin.html': Buffer.from('<meta charset="iso-8859-1"><title>gr\u00fc\u00dfe</title>', 'latin1'),
  'frames.html':
    '<frameset cols="50%,50%"><frame name="left" src="left.html"><frame name="right" src="found.html"></frameset>',
  'left.html': '<img src="dot.svg"><a href="latin.html" target="right">latin</a>',
  'leave.html': `<!doctype html><title>leave</title><script>
    navigator.sendBeacon('/beacon?typed', 'typed')
    try { new WebSocket(location.href.replace('http', 'ws') + '?typed') } catch {}
    try { top.location = '/top?typed' } catch {}
    try { window.open('/open?typed') } catch {}
    const register = navigator.serviceWorker.register('/sw.js').then(() => 'registered', () => 'refused')
    register.then((text) => { document.title = text })
  </script>`,
}

/** What a host of frames may be asked for. */
const OUTSIDE = / [a-z2-7]{52}\.storage\.localhost:\d+\/(\.hookline\/(shell|worker\.js)|sw\.js)$/

describe.each(ENGINES)('a site in a frame in %s', (browser, open) => {
  it('is what it is on a server', async () => {
    const { page, close } = await open()
    onTestFinished(close)
    front.seen.length = 0
    const src = storeContent(worker, 'Nativecoin', await carOf(FILES))
    await page.goto(
      pages.serve({
        body: `<!doctype html><title>page</title>
          <script src="${worker.url}/hook.js" data-frames="storage.localhost:${front.port}"></script>
          <iframe class="Nativecoin" data-mimetype="text/html" data-src="${src}" width="900" height="600"></iframe>`,
      }),
    )
    await page.read(`void window.hook('Nativecoin')`)
    await expect.poll(() => page.read(`document.querySelector('iframe').dataset.state`)).toBe('ready')
    // The shell can look into its site, as both are on one origin.
    const look = (expression: string) =>
      page.readInFrame(
        'iframe',
        `(() => { const site = frames[0]; const { document, location } = site; return ${expression} })()`,
      )
    const go = (expression: string) => look(`void site.setTimeout(() => { ${expression} })`)
    const title = () => look('document.title').catch((error) => String(error))
    await expect.poll(title).toBe('home, fetched')
    expect(await look('[document.images.length, document.images[0].naturalWidth]')).toEqual([1, 3])

    await go(`document.querySelector('#go').click()`)
    await expect.poll(title).toBe('guide')
    await expect
      .poll(() => look('[location.pathname, location.search, location.hash, site.scrollY > 1000, document.compatMode]'))
      .toEqual(['/guide/page.html', '?x=1', '#far', true, 'BackCompat'])
    await page.read('void history.back()')
    await expect.poll(title).toBe('home, fetched')
    await page.read('void history.forward()')
    await expect.poll(title).toBe('guide')
    await page.read('void history.back()')
    await expect.poll(title).toBe('home, fetched')

    await go(`document.querySelector('#gone').click()`)
    await expect.poll(title).toBe('nothing')
    await page.read('void history.back()')
    await expect.poll(title).toBe('home, fetched')
    await go(`document.querySelector('button').click()`)
    await expect.poll(title).toBe('found')
    expect(await look('location.search')).toBe('?q=typed')

    await go(`site.location = '/latin.html'`)
    await expect.poll(title).toBe('gr\u00fc\u00dfe')
    await go(`site.location = '/frames.html'`)
    await expect.poll(() => look(`site.length === 2 && site[0].document.images[0]?.naturalWidth`)).toBe(3)
    await go('site[0].document.links[0].click()')
    await expect.poll(() => look('site[1].document.title')).toBe('gr\u00fc\u00dfe')

    await go(`site.location = '/leave.html'`)
    await expect.poll(title).toBe('refused')
    await go(`site.location = '${pages.origin}/away?typed'`)
    // Chromium shows a page of its own in place of what the policy stopped; the others leave the site as it is.
    if (browser === 'Chromium') {
      await expect
        .poll(() => page.readInFrame('iframe', 'document.body.textContent'))
        .toContain('leads to another address')
      await page.readInFrame('iframe', `document.querySelector('button').click()`)
    }
    await expect.poll(title).toBe('refused')
    expect(front.seen.filter((request) => !OUTSIDE.test(request))).toEqual([])
  })
})
