import { describe, expect, it } from 'vitest'
import { storeFiles } from '../kit/store-files.ts'
import { storeContent } from '../kit/write-content.ts'
import { fill, useLab } from './lab.ts'

const lab = await useLab()

const html = (content: string, name = 'iframe') => {
  const src = storeContent(lab.worker, 'Nativecoin', content)
  return `<${name} id="a" class="Nativecoin" type="blob" data-mimetype="text/html" data-src="${src}"></${name}>`
}

/** What a script inside the frame found out, which it writes into its own title for the test to read. */
const attempt = (script: string) =>
  `<!doctype html><title>quiet</title><body><script>
   const attempt = (name, run) => { try { run(); return name + ' worked' } catch (e) { return name + ' refused' } }
   document.title = [${script}].join(', ')
   </script>`

describe('HTML from a chain', () => {
  it.each(['iframe', 'div'])('in %s runs its scripts, on an origin that can not reach the page', async (name) => {
    const page = await lab.open(
      html(
        attempt(`
          attempt('dom', () => parent.document.title),
          attempt('navigation', () => { top.location.href = 'about:blank' }),
          attempt('storage', () => localStorage.length),
          attempt('cookie', () => document.cookie),
          self.origin`),
        name,
      ),
    )
    expect(await fill(page, 'Nativecoin')).toMatchObject([{ status: 'filled' }])
    const frame = page.frames()[1]
    await frame?.waitForLoadState()
    expect(await frame?.title()).toBe('dom refused, navigation refused, storage refused, cookie refused, null')
    expect(await page.evaluate(() => document.querySelector('iframe')?.getAttribute('sandbox'))).toBe(
      'allow-scripts allow-forms allow-popups',
    )
  })

  it('in div is as wide as the div, and named by its title', async () => {
    const page = await lab.open(html('words', 'div').replace('<div ', '<div title="A page" '))
    await fill(page, 'Nativecoin')
    const [width, room] = await page.evaluate(() => {
      const frame = document.querySelector<HTMLIFrameElement>('iframe[title="A page"]')
      return [frame?.offsetWidth, frame?.parentElement?.clientWidth]
    })
    expect(width).toBe(room)
  })

  it('H15: can not navigate the page, and what it opens is as confined as itself', async () => {
    const page = await lab.open(
      html(`<a id="top" target="_top" href="${lab.pages.origin}/elsewhere">go</a>
            <a id="new" target="_blank" href="${lab.api.url}/v0/health">open</a>`),
    )
    await fill(page, 'Nativecoin')
    const before = page.url()
    await page.frameLocator('iframe').locator('#top').click()
    const [popup] = await Promise.all([page.waitForEvent('popup'), page.frameLocator('iframe').locator('#new').click()])
    await popup.waitForLoadState()
    expect(await popup.evaluate(() => self.origin)).toBe('null')
    expect(page.url()).toBe(before)
  })

  it.each([
    '<script>document.body.append(1);parent.postMessage("pwned","*")</script>',
    '<img src=x onerror="parent.pwned=1;top.document.title=1">',
    '<svg onload="top.pwned=1"></svg>',
    '</iframe></div><script>top.pwned=1</script>',
    '<base href="https://evil.invalid/"><meta http-equiv=refresh content="0;url=javascript:top.pwned=1">',
  ])('H5: such as %s leaves the page as it was', async (content) => {
    const page = await lab.open(html(content, 'div'))
    const before = await page.evaluate(() => [document.title, document.body.querySelectorAll('*').length])
    expect(await fill(page, 'Nativecoin')).toMatchObject([{ status: 'filled' }])
    await page.frames()[1]?.waitForLoadState()
    const [title, count] = await page.evaluate(() => [document.title, document.body.querySelectorAll('*').length])
    expect([title, Number(count) - 1]).toEqual(before)
    expect(await page.evaluate(() => 'pwned' in window)).toBe(false)
  })

  it('is shown whole: doctype, encoding and scripts of a document of its own', async () => {
    const text =
      '<!doctype html><meta charset="iso-8859-1"><title>gr\u00fc\u00dfe</title><p>one<script>document.write("two")</script>'
    const page = await lab.open('')
    const src = storeContent(lab.worker, 'Nativecoin', Buffer.from(text, 'latin1'))
    await page.setContent(
      `<script src="${lab.api.url}/hook.js" data-frames="none"></script>
       <iframe class="Nativecoin" type="blob" data-mimetype="text/html" data-src="${src}"></iframe>`,
    )
    await page.waitForFunction(() => 'hook' in window)
    await fill(page, 'Nativecoin')
    const frame = page.frames()[1]
    expect(await frame?.evaluate(() => [document.compatMode, document.title, document.body.textContent])).toEqual([
      'CSS1Compat',
      'gr\u00fc\u00dfe',
      'onedocument.write("two")two',
    ])
  })
})

describe('the frame page', () => {
  it('H9: shows what its parent posts, once, and nothing that others post', async () => {
    const page = await lab.open('')
    const shown = await page.evaluate(async (url) => {
      const frame = document.createElement('iframe')
      frame.src = url
      document.body.append(frame)
      await new Promise((resolve) => frame.addEventListener('load', resolve))
      const stranger = document.createElement('iframe')
      document.body.append(stranger)
      const bytes = (text: string) => new TextEncoder().encode(text)
      const ask = (text: string, from: Window | null, silence = 500) =>
        new Promise((resolve) => {
          const { port1, port2 } = new MessageChannel()
          port1.onmessage = ({ data }) => resolve(data)
          setTimeout(() => resolve('silence'), silence)
          const message = { mediaType: 'text/html', bytes: bytes(text) }
          const send = from === window ? window : from
          if (send === window) frame.contentWindow?.postMessage(message, '*', [port2])
          else {
            // Posted by a script of the stranger's own realm, so that it is the source.
            const run = from === null ? undefined : Reflect.get(from, 'Function')
            run(
              'target',
              'message',
              'port',
              'target.postMessage(message, "*", [port])',
            )(frame.contentWindow, message, port2)
          }
        })
      return [
        await ask('<p>stranger</p>', stranger.contentWindow),
        await ask('<p>parent</p>', window, 30_000),
        await ask('<p>again</p>', window),
      ]
    }, `${lab.api.url}/frame`)
    expect(shown).toEqual(['silence', { shown: true }, 'silence'])
    expect(await page.frames()[1]?.locator('p').textContent()).toBe('parent')
  })

  it('H9: the page listens to nobody: a message of a hostile frame changes nothing', async () => {
    const page = await lab.open(
      html(`<script>for (const data of [{shown:true},{error:'x'},{open:'x'}]) parent.postMessage(data, '*')</script>`),
    )
    expect(await fill(page, 'Nativecoin')).toMatchObject([{ status: 'filled' }])
    expect(await page.locator('#a').getAttribute('data-state')).toBe('ready')
  })

  it('H7: shows SVG as a picture, whose scripts do not run', async () => {
    const svg =
      '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9" onload="alert(1)"><script>alert(2)</script></svg>'
    const src = storeContent(lab.worker, 'Nativecoin', svg)
    const as = (name: string) =>
      `<${name} class="Nativecoin" type="blob" data-mimetype="image/svg+xml" data-src="${src}"></${name}>`
    const page = await lab.open(as('iframe') + as('div') + as('img'))
    const alerts: string[] = []
    page.on('dialog', (dialog) => {
      alerts.push(dialog.message())
      dialog.dismiss()
    })
    const outcomes = await fill(page, 'Nativecoin')
    expect(outcomes.map(({ message, status }) => message ?? status)).toEqual(['filled', 'filled', 'filled'])
    expect(await page.frames()[1]?.evaluate(() => document.querySelector('img')?.naturalWidth)).toBe(9)
    expect(alerts).toEqual([])
  })

  it('is waited for where something else is still loading in its place', async () => {
    const page = await lab.open(html('<p>hello').replace('<iframe', `<iframe src="${lab.pages.origin}/other"`))
    await page.evaluate(() => {
      // What was there before reports its load late, as if it were ours.
      document.querySelector('iframe')?.addEventListener('late', (event) => {
        if (event.target instanceof HTMLIFrameElement) event.target.dispatchEvent(new Event('load'))
      })
      new MutationObserver((_, observer) => {
        observer.disconnect()
        document.querySelector('iframe')?.dispatchEvent(new Event('late'))
      }).observe(document.body, { subtree: true, attributeFilter: ['src'] })
    })
    expect(await fill(page, 'Nativecoin')).toMatchObject([{ status: 'filled' }])
    expect(await page.frameLocator('iframe').locator('p').textContent()).toBe('hello')
  })

  it('that does not answer is an error, and the frame is as it was', async () => {
    const page = await lab.open(html('<p>hello').replace('<iframe', '<iframe src="about:blank#own"'))
    lab.api.tamper = (path) => (path === '/frame' ? new TextEncoder().encode('<h1>another page</h1>') : undefined)
    expect(await fill(page, 'Nativecoin')).toMatchObject([{ status: 'failed', code: 'frame_failed' }])
    lab.api.tamper = undefined
    expect(await page.evaluate(() => document.querySelector('iframe')?.getAttribute('src'))).toBe('about:blank#own')
    expect(await page.evaluate(() => document.querySelector('iframe')?.hasAttribute('sandbox'))).toBe(false)
  })
})

describe('a directory from IPFS in a frame', () => {
  const files = {
    'index.html': `<!doctype html><link rel="stylesheet" href="css/style.css"><h1>home</h1>
      <img src="./img/dot.svg" srcset="img/dot.svg 1x, /img/dot.svg 2x"><script src="js/run.js"></script>
      <a id="about" href="about/">about</a> <a id="away" href="https://example.invalid/">away</a>`,
    'about/index.html': `<link rel=stylesheet href="../css/style.css"><h1>about</h1><a id="home" href="../index.html">home</a>`,
    'css/style.css': '@import "more.css"; h1{background:url(../img/dot.svg)}',
    'css/more.css': 'h1{color:rgb(4, 5, 6)} @import "style.css";',
    'img/dot.svg': '<svg xmlns="http://www.w3.org/2000/svg" width="3" height="3"/>',
    'js/run.js': 'document.body.dataset.ran = "yes"',
  }

  it('shows index.html with its own style sheets, pictures and scripts, all of them verified', async () => {
    const { root } = await storeFiles(lab.worker, files)
    const page = await lab.open(
      `<iframe class="IPFS" type="blob" data-mimetype="text/html" data-src="${root}"></iframe>`,
    )
    lab.api.seen.length = 0
    expect(await fill(page, 'IPFS')).toMatchObject([{ status: 'filled' }])
    const frame = page.frameLocator('iframe').frameLocator('iframe')
    expect(await frame.locator('h1').textContent()).toBe('home')
    await page.frames()[2]?.waitForFunction(() => document.querySelector('img')?.naturalWidth === 3)
    const style = await frame.locator('h1').evaluate((h1) => {
      const { color, backgroundImage } = getComputedStyle(h1)
      return [color, backgroundImage.slice(0, 9)]
    })
    expect(style).toEqual(['rgb(4, 5, 6)', 'url("blob'])
    expect(await frame.locator('body').getAttribute('data-ran')).toBe('yes')
    // Nothing came but by the helper: blocks.
    const asked = lab.api.seen.map(({ path }) => path).filter((path) => !path.startsWith('/hook'))
    expect(asked.filter((path) => !/^\/ipfs\/.+\?format=(car|raw)/.test(path))).toEqual(['/frame'])
  })

  it('follows links between its pages', async () => {
    const { root } = await storeFiles(lab.worker, files)
    const page = await lab.open(
      `<div class="IPFS" type="blob" data-mimetype="text/html" data-src="${root}/index.html"></div>`,
    )
    expect(await fill(page, 'IPFS')).toMatchObject([{ status: 'filled' }])
    const frame = page.frameLocator('iframe').frameLocator('iframe')
    await frame.locator('#about').click()
    await frame.locator('h1', { hasText: 'about' }).waitFor()
    expect(await frame.locator('h1').evaluate((h1) => getComputedStyle(h1).color)).toBe('rgb(4, 5, 6)')
    await frame.locator('#home').click()
    await frame.locator('h1', { hasText: 'home' }).waitFor()
  })

  it('shows a page deep inside with what lies beside and above it, and says so where there is none', async () => {
    const { root } = await storeFiles(lab.worker, files)
    const tag = (id: string, path: string) =>
      `<iframe id="${id}" class="IPFS" type="blob" data-mimetype="text/html" data-src="${root}${path}"></iframe>`
    const page = await lab.open(tag('page', '/about/index.html') + tag('folder', '/about') + tag('none', '/css'))
    expect(await fill(page, 'IPFS')).toMatchObject([
      { status: 'filled' },
      { status: 'filled' },
      { status: 'failed', code: 'not_found' },
    ])
    for (const id of ['page', 'folder']) {
      const heading = page.frameLocator(`#${id}`).frameLocator('iframe').locator('h1')
      expect(await heading.evaluate((h1) => [h1.textContent, getComputedStyle(h1).color])).toEqual([
        'about',
        'rgb(4, 5, 6)',
      ])
    }
  })
})
