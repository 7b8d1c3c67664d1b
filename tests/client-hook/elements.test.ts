import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { DECLARED } from '../kit/declared-charsets.ts'
import { silentWav } from '../kit/silent-wav.ts'
import { storeFiles } from '../kit/store-files.ts'
import { storeBytes, storeContent } from '../kit/write-content.ts'
import { fill, useLab } from './lab.ts'

const lab = await useLab()

const picture = readFileSync(new URL('../../examples/picture.jpg', import.meta.url))
const drawing = '<svg xmlns="http://www.w3.org/2000/svg" width="7" height="5"><rect width="7" height="5"/></svg>'
const never = '00'.repeat(32)

/** A tag with the attributes of the page helper; `text/plain` content "hello" on Bitcoin unless told otherwise. */
function tag(name: string, attributes: Record<string, string>, inside = ''): string {
  const list = Object.entries({ class: 'Bitcoin', type: 'blob', ...attributes }).map(
    ([key, value]) => `${key}="${value}"`,
  )
  return `<${name} ${list.join(' ')}>${inside}</${name}>`
}

describe('an element is filled in the way it has', () => {
  it('img shows a picture, whatever it showed before', async () => {
    const src = storeContent(lab.worker, 'Nativecoin', picture).join()
    const page = await lab.open(
      tag('img', { class: 'Nativecoin', id: 'a', srcset: 'x.png 2x', 'data-mimetype': 'image/jpeg', 'data-src': src }),
    )
    expect(await fill(page, 'Nativecoin')).toEqual([{ id: 'a', status: 'filled', state: 'ready' }])
    expect(await page.evaluate(() => document.querySelector('img')?.naturalWidth)).toBe(1280)
    expect(await page.evaluate(() => document.querySelector('img')?.hasAttribute('srcset'))).toBe(false)
  })

  it('a lazy img below the fold is ready without being scrolled to', async () => {
    const src = storeContent(lab.worker, 'Bitcoin', drawing).join()
    const page = await lab.open(
      `<p style="height:9000px"></p>${tag('img', { id: 'a', loading: 'lazy', 'data-mimetype': 'image/svg+xml', 'data-src': src })}`,
    )
    expect(await fill(page, 'Bitcoin')).toMatchObject([{ status: 'filled' }])
    await page.locator('#a').scrollIntoViewIfNeeded()
    await page.waitForFunction(() => document.querySelector('img')?.naturalWidth === 7)
  })

  it('audio plays from a blob: URL, as do a source inside audio and an element that gets one inside', async () => {
    const src = storeContent(lab.worker, 'Nativecoin', silentWav(0.2)).join()
    const attributes = { class: 'Nativecoin', 'data-mimetype': 'audio/wav', 'data-src': src }
    const source = `<source class="Nativecoin" data-type="blob" data-mimetype="audio/wav" data-src="${src}">`
    const page = await lab.open(
      `${tag('audio', { ...attributes, id: 'a' })}<audio id="b">${source}</audio>${tag('div', { ...attributes, id: 'c' }, 'before')}`,
    )
    const outcomes = await fill(page, 'Nativecoin')
    expect(outcomes.map(({ status }) => status)).toEqual(['filled', 'filled', 'filled'])
    await page.waitForFunction(() =>
      [...document.querySelectorAll('audio')].every(({ duration }) => Math.abs(duration - 0.2) < 0.01),
    )
    expect(await page.evaluate(() => document.querySelector('#c > audio')?.hasAttribute('controls'))).toBe(true)
    expect(await page.evaluate(() => document.querySelector('source')?.type)).toBe('audio/wav')
  })

  it('video plays, with a track beside it', async () => {
    const maker = await lab.open('<canvas width="32" height="24"></canvas>')
    const recorded = await maker.evaluate(async () => {
      const canvas = document.querySelector('canvas')
      if (!canvas) return []
      const recorder = new MediaRecorder(canvas.captureStream(30), { mimeType: 'video/webm' })
      const parts: Blob[] = []
      recorder.ondataavailable = ({ data }) => parts.push(data)
      recorder.start()
      const context = canvas.getContext('2d')
      for (let i = 0; i < 10; i++) {
        context?.fillRect(i, i, 5, 5)
        await new Promise((resolve) => requestAnimationFrame(resolve))
      }
      const stopped = new Promise((resolve) => {
        recorder.onstop = resolve
      })
      recorder.stop()
      await stopped
      return [...new Uint8Array(await new Blob(parts).arrayBuffer())]
    })
    expect(recorded.length).toBeGreaterThan(100)
    const video = storeContent(lab.worker, 'Nativecoin', Uint8Array.from(recorded)).join()
    const captions = storeContent(lab.worker, 'Nativecoin', 'WEBVTT\n\n00:00.000 --> 00:09.000\nspoken').join()
    const track = `<track class="Nativecoin" type="blob" default data-mimetype="text/vtt" data-src="${captions}">`
    const page = await lab.open(
      tag('video', { class: 'Nativecoin', preload: 'none', 'data-mimetype': 'video/webm', 'data-src': video }, track),
    )
    const outcomes = await fill(page, 'Nativecoin')
    expect(outcomes.map(({ message, status }) => message ?? status)).toEqual(['filled', 'filled'])
    await page.evaluate(() => document.querySelector('video')?.play())
    expect(await page.evaluate(() => document.querySelector('video')?.videoWidth)).toBe(32)
    await page.waitForFunction(() => document.querySelector('video')?.textTracks[0]?.cues?.length === 1)
  })

  it('a source in picture gives the picture, and sets its type', async () => {
    const src = storeContent(lab.worker, 'Bitcoin', drawing).join()
    const source = `<source class="Bitcoin" data-type="blob" data-mimetype="image/svg+xml" data-src="${src}">`
    const page = await lab.open(`<picture>${source}<img alt=""></picture>`)
    expect(await fill(page, 'Bitcoin')).toMatchObject([{ status: 'filled' }])
    await page.waitForFunction(() => document.querySelector('img')?.naturalWidth === 7)
  })

  it('text goes in as text, in the encoding that its type names', async () => {
    const markup = '<img src=x onerror="document.title=1">'
    const src = storeContent(lab.worker, 'Bitcoin', markup).join()
    const latin = storeContent(lab.worker, 'Bitcoin', Uint8Array.of(0x67, 0x72, 0xfc, 0xdf, 0x65)).join()
    const page = await lab.open(
      tag('p', { id: 'a', 'data-mimetype': 'text/plain', 'data-src': src }, '<b>before</b>') +
        tag('p', { id: 'b', 'data-mimetype': 'text/plain; charset=iso-8859-1', 'data-src': latin }),
    )
    await fill(page, 'Bitcoin')
    expect(await page.locator('#a').textContent()).toBe(markup)
    expect(await page.locator('#b').textContent()).toBe('grüße')
    expect(await page.title()).toBe('page')
  })

  it('text, style sheets and pages are read in the encoding that their bytes declare', async () => {
    const { bytes: css } = DECLARED['latin1.css'] ?? expect.fail()
    const { bytes: wide } = DECLARED['utf16.css'] ?? expect.fail()
    const { bytes: text } = DECLARED['euc-jp.xml'] ?? expect.fail()
    const { bytes: html } = DECLARED['utf16be.html'] ?? expect.fail()
    const src = (bytes: Uint8Array) => storeContent(lab.worker, 'Bitcoin', bytes).join()
    const page = await lab.open(
      tag('p', { id: 'p', 'data-mimetype': 'text/css', 'data-src': src(wide) }) +
        tag('p', { id: 'q', 'data-mimetype': 'text/xml', 'data-src': src(text) }) +
        tag('iframe', { 'data-mimetype': 'text/html', 'data-src': src(html) }) +
        `<link class="Bitcoin" rel="stylesheet" data-type="blob" data-mimetype="text/css" data-src="${src(css)}">`,
    )
    await fill(page, 'Bitcoin')
    expect(await page.locator('#p').textContent()).toBe('p::after{content:"ä"}')
    expect(await page.locator('#q').textContent()).toContain('<r>日本</r>')
    expect(await page.frameLocator('iframe').locator('body').textContent()).toBe('日本語')
    const behind = await page.locator('#p').evaluate((element) => getComputedStyle(element, '::after').content)
    expect(behind).toBe('"äöü"')
  })

  it('scripts run in the order of the document, style sheets apply', async () => {
    const slow = storeContent(lab.worker, 'Bitcoin', `window.order = ['first', '${'x'.repeat(200)}'].slice(0, 1)`)
    const quick = storeContent(lab.worker, 'Bitcoin', `window.order.push('second')`)
    const css = storeContent(lab.worker, 'Bitcoin', 'body{color:rgb(1, 2, 3)}')
    const script = (txids: string[], type: string) =>
      `<script class="Bitcoin" ${type} data-mimetype="text/javascript" data-src="${txids}"></script>`
    const page = await lab.open(
      `${script(slow, 'type="chunk"')}${script(quick, 'data-type="blob"')}
       <link class="Bitcoin" rel="stylesheet" data-type="blob" data-mimetype="text/css" data-src="${css}">`,
    )
    const outcomes = await fill(page, 'Bitcoin')
    expect(outcomes.map(({ message, status }) => message ?? status)).toEqual(['filled', 'filled', 'filled'])
    expect(await page.evaluate(() => Reflect.get(window, 'order'))).toEqual(['first', 'second'])
    expect(await page.evaluate(() => getComputedStyle(document.body).color)).toBe('rgb(1, 2, 3)')
    expect(await page.evaluate(() => document.querySelector<HTMLScriptElement>('body script')?.type)).toBe(
      'text/javascript',
    )
  })

  it('object shows content though something is inside, also the second time, and keeps that where it cannot', async () => {
    const photo = storeContent(lab.worker, 'Nativecoin', picture).join()
    const svg = storeContent(lab.worker, 'Nativecoin', drawing).join()
    const page = await lab.open(
      `<object class="Nativecoin" data-mimetype="image/jpeg" data-src="${photo}" width="300" height="200"><b>inside</b></object>`,
    )
    const seen = () =>
      page.evaluate(() => {
        const inner = document.querySelector('object object')
        return [inner?.clientWidth, inner?.innerHTML, document.querySelectorAll('object').length]
      })
    for (const time of ['first', 'second']) {
      expect(await fill(page, 'Nativecoin'), time).toMatchObject([{ status: 'filled' }])
      expect(await seen()).toEqual([300, '<b>inside</b>', 2])
      await page.evaluate(() => document.querySelector('object')?.setAttribute('data-type', 'chunk'))
    }
    await page.evaluate((src) => {
      const element = document.querySelector('object')
      element?.setAttribute('data-src', src)
      element?.setAttribute('data-mimetype', 'image/svg+xml')
    }, svg)
    const [refused] = await fill(page, 'Nativecoin')
    expect(refused?.message).toBe('<object> does not show image/svg+xml.')
  })

  it('object and embed show what is harmless and refuse what would run with the origin of the page', async () => {
    const src = storeContent(lab.worker, 'Bitcoin', drawing).join()
    const active = ['text/html', 'image/svg+xml', 'application/xml', 'application/xhtml+xml', 'x/unknown']
    const page = await lab.open(
      active
        .flatMap((type) => ['object', 'embed'].map((name) => tag(name, { 'data-mimetype': type, 'data-src': src })))
        .join(''),
    )
    const outcomes = await fill(page, 'Bitcoin')
    expect(outcomes.map(({ code }) => code)).toEqual(active.flatMap(() => ['invalid_element', 'invalid_element']))
    expect(await page.evaluate(() => document.querySelector('[data],[src]:not(script)'))).toBeNull()

    const photo = storeContent(lab.worker, 'Nativecoin', picture).join()
    const harmless = await lab.open(
      `<object class="Nativecoin" data-type="blob" data-mimetype="image/jpeg" data-src="${photo}"></object>
       <embed class="Nativecoin" data-type="blob" data-mimetype="image/jpeg" data-src="${photo}">`,
    )
    expect((await fill(harmless, 'Nativecoin')).map(({ message, status }) => message ?? status)).toEqual([
      'filled',
      'filled',
    ])
    expect(await harmless.evaluate(() => document.querySelector('object')?.type)).toBe('image/jpeg')
  })

  it('a link with download saves the verified bytes under its name, and only saves what would run', async () => {
    const markup = '<script>document.title = 1</script>'
    const src = storeContent(lab.worker, 'Bitcoin', markup).join()
    const page = await lab.open(
      tag('a', { download: 'page.html', 'data-mimetype': 'text/html', 'data-src': src }, 'Save it'),
    )
    expect(await fill(page, 'Bitcoin')).toMatchObject([{ status: 'filled' }])
    const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('link').click()])
    expect(download.suggestedFilename()).toBe('page.html')
    expect(readFileSync(await download.path(), 'utf8')).toBe(markup)
    const type = await page.evaluate(() =>
      fetch(document.querySelector('a')?.href ?? '').then(({ headers }) => headers.get('Content-Type')),
    )
    expect(type).toBe('application/octet-stream')
  })

  it('a picture inside another element is named by the title of that element', async () => {
    const src = storeContent(lab.worker, 'Bitcoin', drawing).join()
    const page = await lab.open(tag('div', { title: 'A square', 'data-mimetype': 'image/svg+xml', 'data-src': src }))
    await fill(page, 'Bitcoin')
    expect(await page.getByAltText('A square').count()).toBe(1)
  })

  it('content that is not Brotli is the bytes it is', async () => {
    const src = storeBytes(lab.worker, 'Bitcoin', new TextEncoder().encode('plain words')).join()
    const page = await lab.open(tag('p', { 'data-mimetype': 'text/plain', 'data-src': src }))
    await fill(page, 'Bitcoin')
    expect(await page.locator('p').textContent()).toBe('plain words')
  })

  it('a file from IPFS fills like content from a chain, by CID or by path', async () => {
    const { root, cids } = await storeFiles(lab.worker, {
      'docs/a.txt': 'from IPFS',
      'big.bin': new Uint8Array(700_000),
    })
    const image = (await storeFiles(lab.worker, { 'p.jpg': picture })).cids['p.jpg'] ?? ''
    const page = await lab.open(
      [
        tag('p', { class: 'IPFS', id: 'a', 'data-mimetype': 'text/plain', 'data-src': cids['docs/a.txt'] ?? '' }),
        tag('p', { class: 'IPFS', id: 'b', 'data-mimetype': 'text/plain', 'data-src': `${root}/docs/a.txt` }),
        tag('p', {
          class: 'IPFS',
          id: 'e',
          'data-mimetype': 'text/plain',
          'data-src': root,
          'data-path': 'docs/a.txt',
        }),
        tag('img', { class: 'IPFS', id: 'c', 'data-mimetype': 'image/jpeg', 'data-src': `ipfs://${image}` }),
        tag('p', { class: 'IPFS', id: 'd', 'data-mimetype': 'text/plain', 'data-src': root }, 'kept'),
      ].join(''),
    )
    expect(await fill(page, 'IPFS')).toMatchObject([
      { status: 'filled' },
      { status: 'filled' },
      { status: 'filled' },
      { status: 'filled' },
      { status: 'failed', code: 'not_a_file' },
    ])
    expect(await page.locator('#e').textContent()).toBe('from IPFS')
    expect(await page.locator('#a').textContent()).toBe('from IPFS')
    expect(await page.locator('#b').textContent()).toBe('from IPFS')
    expect(await page.locator('#d').textContent()).toBe('kept')
  })
})

describe('an element that can not be filled', () => {
  const hash = (text: string) => createHash('sha256').update(text).digest('hex')
  it.each([
    ['a transaction that does not exist', { 'data-src': never }, 'not_found'],
    ['no media type', { 'data-mimetype': '' }, 'invalid_element'],
    ['a txid of the wrong form', { 'data-src': 'abc' }, 'invalid_element'],
    ['a type that is neither blob nor chunk', { type: 'bulk' }, 'invalid_element'],
    ['another hash than in data-sha256', { 'data-sha256': hash('goodbye') }, 'not_verified'],
    ['a media type that nothing shows', { 'data-mimetype': 'application/zip' }, 'invalid_element'],
    ['bytes that are no picture', { 'data-mimetype': 'image/png' }, 'not_showable'],
  ])('with %s keeps what its author put inside, and says why', async (_, attributes, code) => {
    const src = storeContent(lab.worker, 'Bitcoin', 'hello').join()
    const page = await lab.open(
      tag('div', { id: 'a', 'data-mimetype': 'text/plain', 'data-src': src, ...attributes }, '<b>kept</b>'),
    )
    const heard = page.evaluate(
      () =>
        new Promise((resolve) => {
          document.addEventListener('hook:error', (event) => {
            if (event instanceof CustomEvent)
              resolve([event.detail.error.code, event.target === document.querySelector('#a')])
          })
        }),
    )
    expect(await fill(page, 'Bitcoin')).toMatchObject([{ id: 'a', status: 'failed', state: 'error', code }])
    expect(await heard).toEqual([code, true])
    expect(await page.locator('#a').innerHTML()).toBe('<b>kept</b>')
  })

  it('is told on the console, to an author who listens to nothing', async () => {
    const page = await lab.open(tag('p', { 'data-mimetype': 'text/plain', 'data-src': 'abc' }))
    const [message] = await Promise.all([page.waitForEvent('console'), fill(page, 'Bitcoin')])
    expect(message.text()).toMatch(/data-src must be txids/)
  })

  it('keeps the src of an img that got no picture', async () => {
    const src = storeContent(lab.worker, 'Bitcoin', 'hello').join()
    const page = await lab.open(tag('img', { src: 'data:,own', 'data-mimetype': 'image/png', 'data-src': src }))
    expect(await fill(page, 'Bitcoin')).toMatchObject([{ status: 'failed', code: 'not_showable' }])
    expect(await page.evaluate(() => document.querySelector('img')?.src)).toBe('data:,own')
  })

  it('is tried again by the next call, and one that is filled is not', async () => {
    const src = storeContent(lab.worker, 'Bitcoin', 'hello').join()
    const page = await lab.open(
      tag('p', { id: 'a', 'data-mimetype': 'text/plain', 'data-src': src }) +
        tag('p', { id: 'b', 'data-mimetype': 'text/plain', 'data-src': never }),
    )
    expect((await fill(page, 'Bitcoin')).map(({ status }) => status)).toEqual(['filled', 'failed'])
    await page.evaluate((value) => document.querySelector('#b')?.setAttribute('data-src', value), src)
    expect(await fill(page, 'Bitcoin')).toMatchObject([{ id: 'b', status: 'filled' }])
    expect(await fill(page, 'Bitcoin')).toEqual([])
  })

  it('is filled again when it asks for something else, and not because the page has styled it', async () => {
    const one = storeContent(lab.worker, 'Bitcoin', 'order = "one"')
    const two = storeContent(lab.worker, 'Bitcoin', 'words')
    const page = await lab.open(
      `<script class="Bitcoin" type="blob" data-mimetype="text/javascript" data-src="${one}"></script>` +
        tag('p', { id: 'b', 'data-mimetype': 'text/plain', 'data-src': two.join() }),
    )
    expect(await fill(page, 'Bitcoin')).toMatchObject([{ status: 'filled' }, { status: 'filled' }])
    await page.evaluate(() => document.querySelector('#b')?.classList.add('shown'))
    expect(await fill(page, 'Bitcoin')).toEqual([])
    await page.evaluate((src) => document.querySelector('#b')?.setAttribute('data-src', src), one.join())
    expect(await fill(page, 'Bitcoin')).toMatchObject([{ id: 'b', status: 'filled' }])
    expect(await page.locator('#b').textContent()).toBe('order = "one"')
  })
})

describe('content in many transactions', () => {
  it('as chunk is fetched one transaction at a time, each with its progress', async () => {
    const text = Array.from({ length: 130 }, (_, i) => createHash('md5').update(String(i)).digest('base64')).join(' ')
    const txids = storeContent(lab.worker, 'Bitcoin', text)
    expect(txids.length).toBeGreaterThan(20)
    lab.api.seen.length = 0
    const page = await lab.open(tag('pre', { type: 'chunk', 'data-mimetype': 'text/plain', 'data-src': txids.join() }))
    await page.evaluate(() => {
      const seen: unknown[] = []
      Reflect.set(document.body, 'seen', seen)
      document.addEventListener('hook:progress', (event) => {
        if (event instanceof CustomEvent) seen.push([event.detail.loaded, event.detail.total])
      })
    })
    expect(await fill(page, 'Bitcoin')).toMatchObject([{ status: 'filled' }])
    expect(await page.locator('pre').textContent()).toBe(text)
    const seen = await page.evaluate(() => Reflect.get(document.body, 'seen'))
    expect(seen).toEqual(Array.from({ length: txids.length + 1 }, (_, loaded) => [loaded, txids.length]))
    const asked = lab.api.seen.filter(({ path }) => path.startsWith('/v0/tx/')).map(({ path }) => path.split('/').pop())
    expect(asked.sort()).toEqual([...txids].sort())
  })

  it('as blob is one request: by GET for a short list, by POST for a long one', async () => {
    const text = Array.from({ length: 700 }, (_, i) => createHash('md5').update(`b${i}`).digest('base64')).join(' ')
    const long = storeContent(lab.worker, 'Bitcoin', text)
    const short = storeContent(lab.worker, 'Bitcoin', text.slice(0, 900))
    lab.api.seen.length = 0
    const page = await lab.open(
      tag('pre', { 'data-mimetype': 'text/plain', 'data-src': long.join() }) +
        tag('pre', { 'data-mimetype': 'text/plain', 'data-src': short.join(', \n') }),
    )
    expect(await fill(page, 'Bitcoin')).toMatchObject([{ status: 'filled' }, { status: 'filled' }])
    expect(await page.locator('pre').first().textContent()).toBe(text)
    const asked = lab.api.seen.filter(({ path, method }) => path.startsWith('/v0/tx') && method !== 'OPTIONS')
    expect(asked.map(({ method }) => method).sort()).toEqual(['GET', 'POST'])
  })

  it('has the data of a transaction twice where its id stands twice', async () => {
    const [txid] = storeBytes(lab.worker, 'Bitcoin', new TextEncoder().encode('echo '))
    const page = await lab.open(
      tag('p', { 'data-mimetype': 'text/plain', 'data-src': `${txid},${txid?.toUpperCase()}` }),
    )
    await fill(page, 'Bitcoin')
    expect(await page.locator('p').textContent()).toBe('echo echo ')
  })

  it('that is a file of 0 bytes is shown as none; other bytes that decode to nothing are shown as they are', async () => {
    const show = (id: string, ...bytes: number[]) => {
      const src = storeBytes(lab.worker, 'Bitcoin', Uint8Array.from(bytes)).join()
      return tag('p', { id, 'data-mimetype': 'text/plain', 'data-src': src }, 'before')
    }
    const { root } = await storeFiles(lab.worker, { none: '' })
    const onIpfs = tag('p', { class: 'IPFS', 'data-mimetype': 'text/plain', 'data-src': `${root}/none` }, 'before')
    const page = await lab.open(show('a', 0x06) + show('b', 0x3b) + onIpfs)
    expect(await fill(page, 'Bitcoin')).toMatchObject([{ status: 'filled' }, { status: 'filled' }])
    expect(await fill(page, 'IPFS')).toMatchObject([{ status: 'filled' }])
    expect(await page.locator('p').allTextContents()).toEqual(['', ';', ''])
  })

  it('that decodes to more than is sensible is refused, in bounded memory', async () => {
    const src = storeContent(lab.worker, 'Bitcoin', new Uint8Array(40 << 20)).join()
    const page = await lab.open(tag('p', { 'data-mimetype': 'text/plain', 'data-src': src }, 'kept'))
    expect(await fill(page, 'Bitcoin')).toMatchObject([{ status: 'failed', code: 'too_large' }])
    expect(await page.locator('p').textContent()).toBe('kept')
  })
})
