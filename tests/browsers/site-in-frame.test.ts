import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { carOf } from '../kit/car-of.ts'
import { type PageServer, startPageServer } from '../kit/page-server.ts'
import { type RunningWorker, startWorker } from '../kit/start-worker.ts'
import { startTamperingProxy, type TamperingProxy } from '../kit/tampering-proxy.ts'
import { storeContent } from '../kit/write-content.ts'
import { ENGINES } from './engines.ts'

let worker: RunningWorker
let pages: PageServer
let api: TamperingProxy

beforeAll(async () => {
  ;[worker, pages] = await Promise.all([startWorker(), startPageServer()])
  api = await startTamperingProxy(worker.url)
})
afterAll(async () => {
  await api.close()
  await pages.close()
  await worker.close()
})

const FAR = '<div style="height:5000px"></div><h2 id="far">far</h2>'
const FILES = {
  'index.html': `<!doctype html><title>home</title><link rel="stylesheet" href="a.css"><img src="a.svg">
    <a id="go" href="guide/page.html?x=1#far">guide</a> <a id="gone" href="nowhere.html">gone</a>
    <form action="found.html"><input name="q" value="typed"><button>Search</button></form>
    <noscript><img src="a.svg"></noscript>${FAR}`,
  'a.css': 'h2{background:url("a.svg")}',
  'a.svg': '<svg xmlns="http://www.w3.org/2000/svg" width="3" height="3"/>',
  'guide/page.html': `<title>guide</title>${FAR}`,
  'found.html': '<!doctype html><title>found</title><a href="frames.html">frames</a>',
  '404.html': '<!doctype html><title>nothing</title>',
  'frames.html':
    '<title>set</title><frameset cols="50%,50%"><frame name="left" src="left.html"><frame name="right" src="right.html"></frameset>',
  'left.html':
    '<img src="a.svg" onload="top.postMessage(\'left\', \'*\')"><a target="right" href="guide/page.html">guide</a>',
  'right.html': '<title>right</title><p>right',
}
const LEAVE = `<!doctype html><title>leave</title><form id="f" action="ORIGIN/form"><input name="q" value="typed"></form><script>
  try { navigator.sendBeacon('ORIGIN/beacon?typed', 'typed') } catch {}
  try { top.location = 'ORIGIN/top?typed' } catch {}
  try { window.open('ORIGIN/open?typed') } catch {}
  try { f.submit() } catch {}
  try { location = 'ORIGIN/location?typed' } catch {}
</script>`

describe.each(ENGINES)('a site in /frame in %s', (browser, open) => {
  it('shows its pages, back and forward too, and keeps what is typed in it', async () => {
    const { page, close } = await open()
    onTestFinished(close)
    const leave = LEAVE.replaceAll('ORIGIN', api.url)
    const src = storeContent(worker, 'Nativecoin', await carOf({ ...FILES, 'leave.html': leave }))
    await page.goto(
      pages.serve({
        body: `<!doctype html><title>page</title><script src="${api.url}/hook.js" data-frames="none"></script>
          <iframe class="Nativecoin" data-mimetype="text/html" data-src="${src}" width="900" height="600"></iframe>`,
      }),
    )
    const show = async (path: string) => {
      await page.read(`void document.querySelector('iframe').setAttribute('data-path', '${path}')`)
      await page.read(`void window.hook('Nativecoin')`)
    }
    // Firefox does not count the entries of a frame that is sandboxed and of another host.
    const goesBack = browser !== 'Firefox'
    const back = (path: string) => (goesBack ? page.read('void history.back()') : show(path))
    await show('')
    await expect.poll(() => page.read(`document.querySelector('iframe').dataset.state`)).toBe('ready')
    const look = (expression: string) =>
      page.readInFrame('iframe >> iframe', expression).catch((error) => String(error))
    const title = () => look('document.title')
    await expect.poll(title).toBe('home')
    expect(
      await look(`[document.compatMode, document.images.length, document.images[0].naturalWidth,
        getComputedStyle(document.querySelector('h2')).backgroundImage.slice(0, 9)]`),
    ).toEqual(['CSS1Compat', 1, 3, 'url("blob'])

    await look(`void document.querySelector('#go').click()`)
    await expect
      .poll(() => look('[document.title, scrollY > 1000, document.compatMode]'))
      .toEqual(['guide', true, 'BackCompat'])
    await back('index.html')
    await expect.poll(title).toBe('home')
    if (goesBack) {
      await page.read('void history.forward()')
      await expect.poll(title).toBe('guide')
      await back('')
      await expect.poll(title).toBe('home')
    }
    await look(`void document.querySelector('#gone').click()`)
    await expect.poll(title).toBe('nothing')
    await back('')
    await expect.poll(title).toBe('home')
    await look(`void document.querySelector('button').click()`)
    await expect.poll(title).toBe('found')
    await look(`void document.querySelector('a').click()`)
    await expect.poll(title).toBe('set')
    const left = (expression: string) =>
      page.readInFrame('iframe >> iframe >> frame', expression).catch((error) => String(error))
    await expect.poll(() => left('document.images[0]?.naturalWidth')).toBe(3)
    await left(`void document.querySelector('a').click()`)
    const right = () =>
      page.readInFrame('iframe >> iframe >> frame[name=right]', 'document.title').catch((error) => String(error))
    await expect.poll(right).toBe('guide')
    if (goesBack) {
      await back('')
      await expect.poll(right).toBe('right')
      await back('')
      await expect.poll(title).toBe('found')
    }

    const before = await page.read('location.href')
    await show('leave.html')
    // Chromium shows a page of its own in place of what the policy stopped, or the sentence of /frame; the others leave the site as it is.
    const outcome = async () =>
      (await page.readInFrame('iframe', `document.querySelector('iframe') === null`)) ? 'left' : await title()
    await expect.poll(outcome).toMatch(/^(left|leave)?$/)
    expect(await page.read('location.href')).toBe(before)
    expect(api.seen.filter(({ path }) => path.includes('typed'))).toEqual([])
  })
})
