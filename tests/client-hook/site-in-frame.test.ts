import type { Frame, Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { carOf } from '../kit/car-of.ts'
import { storeContent } from '../kit/write-content.ts'
import { fill, useLab } from './lab.ts'

const lab = await useLab()

const svg = (size: number) => `<svg xmlns="http://www.w3.org/2000/svg" width="${size}" height="${size}"/>`
const FAR = '<div style="height:5000px"></div><h2 id="far">far</h2>'

/** The site on a chain in an iframe, which is shown by `/frame`; and the frame inside that its pages are in. */
async function show(files: Record<string, string | Uint8Array>, path = '') {
  const src = storeContent(lab.worker, 'Nativecoin', await carOf(files))
  const page = await lab.open(
    `<iframe class="Nativecoin" data-mimetype="text/html" data-path="${path}" data-src="${src}" width="800" height="500"></iframe>`,
  )
  expect(await fill(page, 'Nativecoin')).toMatchObject([{ status: 'filled' }])
  return { page, inside: page.frameLocator('iframe').frameLocator('iframe') }
}

/** The document that is shown: a page of the site has another one than the page before. */
const shown = (page: Page): Frame | undefined => page.frames()[1]?.childFrames()[0]
const read = async (page: Page, expression: string): Promise<unknown> =>
  await shown(page)
    ?.evaluate(expression)
    .catch((error) => String(error))
const title = (page: Page) => read(page, 'document.title')

describe('a site in /frame', () => {
  it('goes back and forward through its pages, and never shows an empty frame', async () => {
    const { page, inside } = await show({
      'index.html': '<!doctype html><title>one</title><a href="two.html">two</a>',
      'two.html': '<!doctype html><title>two</title><a href="three.html">three</a>',
      'three.html': '<!doctype html><title>three</title>',
    })
    await inside.locator('a').click()
    await expect.poll(() => title(page)).toBe('two')
    await inside.locator('a').click()
    await expect.poll(() => title(page)).toBe('three')
    for (const [step, to] of [
      ['back', 'two'],
      ['back', 'one'],
      ['forward', 'two'],
      ['forward', 'three'],
    ] as const) {
      await page.evaluate((step) => history[step](), step)
      await expect.poll(() => title(page)).toBe(to)
    }
    expect(page.url()).toContain(lab.pages.origin)
  })

  it('opens a page at the place that a link, and the element, name', async () => {
    const files = {
      'index.html': `<title>one</title><a id="other" href="other.html?x=1#far">other</a><a id="own" href="index.html#far">own</a>${FAR}`,
      'other.html': `<!doctype html><title>other</title>${FAR}`,
    }
    const { page, inside } = await show(files)
    await inside.locator('#own').click()
    await expect.poll(() => read(page, '[document.title, scrollY > 1000]')).toEqual(['one', true])
    await page.evaluate(() => history.back())
    await inside.locator('#other').click()
    await expect.poll(() => read(page, '[document.title, scrollY > 1000]')).toEqual(['other', true])
    const { page: second } = await show(files, 'other.html?x=1#far')
    await expect.poll(() => read(second, '[document.title, scrollY > 1000]')).toEqual(['other', true])
  })

  it('has pictures, style sheets and links in its frames, which open in the frame that they name', async () => {
    const { page } = await show({
      'index.html':
        '<title>set</title><frameset cols="50%,50%"><frame name="l" src="left.html"><frame name="r" src="right.html"></frameset>',
      'left.html': '<a target="r" href="other.html">other</a><iframe srcdoc="<img src=a.svg>"></iframe>',
      'right.html': '<link rel="stylesheet" href="a.css"><img src="a.svg"><p>text</p>',
      'other.html': '<title>other</title>',
      'a.css': 'p{color:rgb(0, 128, 0)}',
      'a.svg': svg(7),
    })
    const inner = (number: number) => shown(page)?.childFrames()[number]
    const right = () =>
      inner(1)
        ?.evaluate(`[document.title, document.images[0]?.naturalWidth,
      getComputedStyle(document.querySelector('p') ?? document.body).color]`)
        .catch(String)
    await expect.poll(right).toEqual(['', 7, 'rgb(0, 128, 0)'])
    await expect
      .poll(() => inner(0)?.childFrames()[0]?.evaluate('document.images[0]?.naturalWidth').catch(String))
      .toBe(7)
    await inner(0)?.locator('a').click()
    await expect.poll(right).toEqual(['other', undefined, 'rgb(0, 0, 0)'])
    await page.evaluate(() => history.back())
    await expect.poll(right).toEqual(['', 7, 'rgb(0, 128, 0)'])
    await page.evaluate(() => history.forward())
    await expect.poll(right).toEqual(['other', undefined, 'rgb(0, 0, 0)'])
  })

  it.each([
    ['a meta element of UTF-16, which is UTF-8', '<meta charset="utf-16">', 'utf8'],
    [
      'a meta element behind the first 1,024 bytes',
      `<!--${'x'.repeat(1100)}--><meta charset="windows-1252">`,
      'latin1',
    ],
    ['a byte order mark of UTF-16', '\ufeff', 'utf16le'],
    ['a byte order mark before another declaration', '\ufeff<meta charset="windows-1252">', 'utf8'],
  ] as const)('is decoded as a browser does it: %s', async (_, start, encoding) => {
    const { page } = await show({ 'index.html': Buffer.from(`${start}<title>Gr\u00fc\u00dfe</title>`, encoding) })
    await expect.poll(() => title(page)).toBe('Gr\u00fc\u00dfe')
  })

  it('has scripts and style sheets that do not name an encoding in that of the page', async () => {
    const { page } = await show({
      'index.html': '<meta charset="iso-8859-1"><link rel=stylesheet href="a.css"><p></p><script src="a.js"></script>',
      'a.js': Buffer.from('document.title = "\u00fc"', 'latin1'),
      'a.css': Buffer.from('p::before{content:"\u00e4"}', 'latin1'),
    })
    await expect
      .poll(() => read(page, `[document.title, getComputedStyle(document.querySelector('p'), '::before').content]`))
      .toEqual(['\u00fc', '"\u00e4"'])
  })

  it('loads nothing that noscript names, and leaves it as it is written, also within scripts', async () => {
    const asked: string[] = []
    const { page } = await show({
      'index.html': `<!doctype html><html><head><title>n</title>
        <noscript><img src="${lab.pages.origin}/tracker"></noscript><link rel="stylesheet" href="a.css"></head>
        <body><h1 title="<noscript>">x</h1><NoScript class=c><iframe src="${lab.pages.origin}/frame"></iframe></NoScript>
        <script>text = '<NOSCRIPT>a</NOSCRIPT>'</script>`,
      'a.css': 'h1{color:rgb(0, 128, 0)}',
    })
    page.on('request', (request) => asked.push(request.url()))
    await expect
      .poll(() =>
        read(
          page,
          `[document.head.querySelectorAll('link').length, document.querySelectorAll('noscript *').length,
          document.querySelector('noscript.c').textContent.slice(0, 8), text, document.querySelector('h1').title,
          document.images.length]`,
        ),
      )
      .toEqual([1, 0, '<iframe ', '<NOSCRIPT>a</NOSCRIPT>', '<noscript>', 0])
    expect(asked.filter((url) => /tracker|frame$/.test(url))).toEqual([])
  })

  it('finds what its HTML and its CSS name, however it is written', async () => {
    const { page } = await show({
      'index.html': `<!doctype html><link rel=stylesheet href="a.css"><body background="a.svg">
        <table><tr><td background="a.svg">td</td></tr></table>
        <p class=q></p><p class=b></p><p class=c></p><p class=s></p><p class=u></p><p class=i style="background:url('a.svg')"></p>
        <img id=i srcset="a,b.svg 1x, a.svg 9x"><template id=t><img src="a.svg"></template><div id=d></div>
        <script>d.append(t.content.cloneNode(true))</script>`,
      'a.css': `@import"b.css"screen;@namespace svg url(a.svg);.q{background:url("it's.svg")}.b{background:url( "a(b).svg" )}
        .c{background:url(a\\,b.svg)}.s{background:image-set("a.svg" 1x)}/* url(none.svg) */.x::after{content:"url(a.svg)"}`,
      'b.css': '.u{background:URL(a.svg)}',
      'a.svg': svg(3),
      'a,b.svg': svg(4),
      'a(b).svg': svg(5),
      "it's.svg": svg(6),
    })
    const blobs = (selector: string) =>
      read(page, `getComputedStyle(document.querySelector('${selector}')).backgroundImage.includes('url("blob:')`)
    for (const selector of ['body', 'td', '.q', '.b', '.c', '.s', '.u', '.i']) {
      await expect.poll(async () => [selector, await blobs(selector)]).toEqual([selector, true])
    }
    await expect.poll(() => read(page, 'i.naturalWidth')).toBe(4)
    await expect.poll(() => read(page, `document.querySelector('#d img').naturalWidth`)).toBe(3)
  })
})

/** Attempts to leave, by what a page has in it or does. */
const LEAVING: Record<string, string[]> = {
  form: [
    '<form action="two.html"><input name=q value=typed><button>go</button></form>',
    '<form method=post action="/post"><input name=q value=typed><button>go</button></form>',
    '<form action="ORIGIN/form"><input name=q value=typed><button>go</button></form>',
    '<form id=f action="ORIGIN/submit"><input name=q value=typed></form><script>f.submit()</script>',
    '<form id=f><input name=q value=typed></form><script>HTMLFormElement.prototype.requestSubmit.call(f)</script>',
  ],
  refresh: [
    '<meta http-equiv=refresh content="0; url=two.html?typed">',
    '<meta http-equiv=refresh content="0; url=ORIGIN/refresh?typed">',
    '<script>document.head.innerHTML += "<meta http-equiv=refresh content=\'0; url=ORIGIN/late?typed\'>"</script>',
  ],
  location: [
    '<script>location.href = "two.html?typed"</script>',
    '<script>location.assign("ORIGIN/location?typed")</script>',
    '<script>try { parent.location = "ORIGIN/parent?typed" } catch {}</script>',
  ],
  'target=_top': [
    '<a class=go target=_top href="missing.html?typed">top</a>',
    '<a class=go target=_top href="ORIGIN/top?typed">top</a>',
    '<script>try { top.location = "ORIGIN/toplocation?typed" } catch {}</script>',
  ],
  'window.open': [
    '<script>window.open("two.html?typed")</script>',
    '<script>window.open("ORIGIN/open?typed")</script>',
    '<a class=go target=_blank href="ORIGIN/blank?typed">blank</a>',
  ],
  base: [
    '<base href="ORIGIN/base/"><a class=go href="two.html?typed">two</a>',
    '<base href="/sub/"><a class=go href="none.html?typed">none</a>',
    '<script>document.head.innerHTML += "<base href=\'ORIGIN/late/\'>"</script><a class=go href="two.html?typed">two</a>',
  ],
  'links in SVG': [
    '<svg><a class=go href="two.html?typed"><text y="20">two</text></a></svg>',
    '<svg><a class=go xlink:href="missing.html?typed"><text y="20">two</text></a></svg>',
    '<svg><a class=go href="ORIGIN/svg?typed"><text y="20">two</text></a></svg>',
  ],
  'ping and beacons': [
    '<a class=go ping="ORIGIN/ping?typed" href="two.html">two</a>',
    '<script>navigator.sendBeacon("ORIGIN/beacon?typed", "typed")</script>',
    '<script>fetch("ORIGIN/fetch?typed", { mode: "no-cors" }).catch(() => {})</script>',
  ],
}

describe('what is typed in a site in /frame reaches no host', () => {
  it.each(
    Object.entries(LEAVING).flatMap(([name, attempts]) => attempts.map((html, at) => [name, at + 1, html] as const)),
  )('by %s, attempt %i', async (_, __, html) => {
    lab.api.seen.length = 0
    const { page, inside } = await show({
      'index.html': `<!doctype html><title>one</title>${html.replaceAll('ORIGIN', lab.api.url)}`,
      'two.html': '<!doctype html><title>two</title>',
    })
    const before = page.url()
    if (/class=go|<button/.test(html)) await inside.locator('.go, button').first().click()
    // What leads to another page of the site does; all else stays, or says so.
    if (/(action|href|url)="?=?two\.html/.test(html) && !html.includes('<base'))
      await expect.poll(() => title(page)).toBe('two')
    // What had been sent would be there before this.
    await page.evaluate(async (url) => void (await fetch(url)), `${lab.api.url}/hook.json`)
    expect(lab.api.seen.filter(({ path }) => path.includes('typed'))).toEqual([])
    expect(page.url()).toBe(before)
  })

  it('shows the 404.html of the site, or else a sentence, in place of a missing page', async () => {
    const index = '<!doctype html><title>one</title><a href="missing.html">missing</a>'
    const { page, inside } = await show({ 'index.html': index })
    await inside.locator('a').click()
    await inside.getByText('This site has nothing at this address.').waitFor()
    await page.evaluate(() => history.back())
    await expect.poll(() => title(page)).toBe('one')
    const { page: second, inside: other } = await show({ 'index.html': index, '404.html': '<title>nothing</title>' })
    await other.locator('a').click()
    await expect.poll(() => title(second)).toBe('nothing')
  })

  it('says that a link leads elsewhere, and leads back to the site', async () => {
    const { page, inside } = await show({
      'index.html': `<!doctype html><title>one</title><a href="${lab.pages.origin}/">out</a>`,
    })
    await inside.locator('a').click()
    const host = page.frameLocator('iframe')
    await host.getByText('leads to another address').waitFor()
    await host.locator('button').click()
    await expect.poll(() => title(page)).toBe('one')
  })

  it('shows a file that is no page, and says what it can not show', async () => {
    const { page, inside } = await show({
      'index.html': '<!doctype html><a id=r href="read.txt">text</a><a id=b href="data.bin">bytes</a>',
      'read.txt': 'read me',
      'data.bin': 'bytes',
    })
    await inside.locator('#r').click()
    await inside.getByText('read me').waitFor()
    await page.evaluate(() => history.back())
    await inside.locator('#b').click()
    await inside.getByText("A frame can't show").waitFor()
  })
})
