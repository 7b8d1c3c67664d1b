import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import { silentWav } from '../kit/silent-wav.ts'
import { storeFiles } from '../kit/store-files.ts'
import { storeContent } from '../kit/write-content.ts'
import { fill, useLab } from './lab.ts'

const lab = await useLab()
beforeAll(async () => {
  everything = await storeEverything()
})

const picture = readFileSync(new URL('../../examples/picture.jpg', import.meta.url))

/** What client-hook/README.md says a strict page must allow, and no more. */
function strict(changes: Record<string, string | undefined> = {}): string {
  const { url } = lab.api
  const directives: Record<string, string | undefined> = {
    'default-src': "'none'",
    'script-src': `${url} 'wasm-unsafe-eval' blob:`,
    'connect-src': url,
    'frame-src': url,
    'img-src': 'blob:',
    'style-src': 'blob:',
    'media-src': 'blob:',
    'require-trusted-types-for': "'script'",
    'trusted-types': 'hookline',
    ...changes,
  }
  return Object.entries(directives)
    .flatMap(([name, value]) => (value === undefined ? [] : [`${name} ${value}`]))
    .join('; ')
}

/** One of everything. */
let everything = ''

async function storeEverything(): Promise<string> {
  const chain = (content: Uint8Array | string) => storeContent(lab.worker, 'Nativecoin', content).join()
  const { cids } = await storeFiles(lab.worker, { 'a.txt': 'from IPFS' })
  return `
    <img id="img" class="Nativecoin" type="blob" data-mimetype="image/jpeg" data-src="${chain(picture)}">
    <div id="html" class="Nativecoin" type="blob" data-mimetype="text/html" data-src="${chain('<p>framed</p>')}"><b>kept</b></div>
    <script id="script" class="Nativecoin" data-type="blob" data-mimetype="text/javascript"
      data-src="${chain('document.body.dataset.ran = "yes"')}"></script>
    <link id="style" class="Nativecoin" rel="stylesheet" data-type="blob" data-mimetype="text/css"
      data-src="${chain('body{color:rgb(1, 2, 3)}')}">
    <audio id="audio" class="Nativecoin" type="blob" data-mimetype="audio/wav" data-src="${chain(silentWav(0.1))}"></audio>
    <p id="text" class="Nativecoin" type="blob" data-mimetype="text/plain" data-src="${chain('words')}"><b>kept</b></p>
    <p id="ipfs" class="IPFS" type="blob" data-mimetype="text/plain" data-src="${cids['a.txt']}"><b>kept</b></p>`
}

describe('a page with a strict policy', () => {
  it('H3, H4: that allows exactly what is documented is filled, without a violation', async () => {
    const context = await lab.browser.newContext()
    await context.addInitScript(() => {
      addEventListener('securitypolicyviolation', ({ effectiveDirective, blockedURI, sourceFile }) => {
        console.error(`violation: ${effectiveDirective} ${blockedURI} ${sourceFile}`)
      })
    })
    const violations: string[] = []
    context.on('console', (message) => {
      if (message.text().startsWith('violation')) violations.push(message.text())
    })
    const page = await lab.open(everything, { policy: strict(), context })
    const outcomes = [...(await fill(page, 'Nativecoin')), ...(await fill(page, 'IPFS'))]
    expect(outcomes.map(({ id, message, status }) => [id, message ?? status])).toEqual([
      ['img', 'filled'],
      ['html', 'filled'],
      ['script', 'filled'],
      ['style', 'filled'],
      ['audio', 'filled'],
      ['text', 'filled'],
      ['ipfs', 'filled'],
    ])
    expect(await page.evaluate(() => document.body.dataset.ran)).toBe('yes')
    expect(await page.frameLocator('#html iframe').locator('p').textContent()).toBe('framed')
    // Idle time starts the node, and page scripts run: nothing of it may have been refused.
    expect(violations).toEqual([])
  })

  it.each<[string, string, Record<string, string | undefined>, string]>([
    ['img', 'img-src', { 'img-src': "'none'" }, 'img-src'],
    ['html', 'frame-src', { 'frame-src': "'none'" }, 'frame-src'],
    ['style', 'style-src', { 'style-src': "'none'" }, 'style-src'],
    ['audio', 'media-src', { 'media-src': "'none'" }, 'media-src'],
    ['text', 'connect-src', { 'connect-src': "'none'" }, 'connect-src'],
    ['ipfs', 'connect-src', { 'connect-src': "'none'" }, 'connect-src'],
    ['script', 'trusted-types', { 'trusted-types': "'none'" }, 'trusted-types'],
    ['script', 'script-src', { 'script-src': 'HOST_WASM' }, 'script-src'],
    ['text', 'script-src without wasm', { 'script-src': 'HOST' }, 'script-src'],
    ['ipfs', 'script-src without the parts', { 'script-src': 'HOOK' }, 'script-src'],
  ])(
    'that refuses %s by %s gets an error with the directive named, and keeps its own',
    async (id, _, changes, named) => {
      const { url } = lab.api
      const sources: Record<string, string> = {
        HOST_WASM: `${url} 'wasm-unsafe-eval'`,
        HOST: url,
        HOOK: `${url}/hook.js`,
      }
      const filled = Object.fromEntries(
        Object.entries(changes).map(([name, value]) => [name, sources[value ?? ''] ?? value]),
      )
      const page = await lab.open(everything, { policy: strict(filled) })
      const outcomes = await fill(page, id === 'ipfs' ? 'IPFS' : 'Nativecoin')
      const outcome = outcomes.find((one) => one.id === id)
      expect(outcome).toMatchObject({ status: 'failed', state: 'error', code: 'refused_by_policy' })
      expect(outcome?.directive).toContain(named)
      expect(outcome?.message).toContain(named)
      if (['html', 'text', 'ipfs'].includes(id)) expect(await page.locator(`#${id}`).innerHTML()).toBe('<b>kept</b>')
      if (id === 'script') expect(await page.evaluate(() => document.body.dataset.ran)).toBeUndefined()
    },
  )

  it('H4: that trusts scripts by nonce only gets the parts too', async () => {
    const src = storeContent(lab.worker, 'Bitcoin', 'hello')
    const page = await lab.open(`<p class="Bitcoin" type="blob" data-mimetype="text/plain" data-src="${src}"></p>`, {
      policy: strict({ 'script-src': "'nonce-abc' 'wasm-unsafe-eval'" }),
      head: `<script nonce="abc" src="${lab.api.url}/hook.js"></script>`,
    })
    expect(await fill(page, 'Bitcoin')).toMatchObject([{ status: 'filled' }])
  })

  it('and isolated from other origins is filled too, its frame included', async () => {
    const page = await lab.open(everything, {
      headers: {
        'Cross-Origin-Opener-Policy': 'same-origin',
        'Cross-Origin-Embedder-Policy': 'require-corp',
      },
      head: `<script src="${lab.api.url}/hook.js" data-frames="none" crossorigin></script>`,
    })
    expect(await page.evaluate(() => crossOriginIsolated)).toBe(true)
    const outcomes = [...(await fill(page, 'Nativecoin')), ...(await fill(page, 'IPFS'))]
    expect(outcomes.map(({ message, status }) => message ?? status)).toEqual(outcomes.map(() => 'filled'))
    expect(await page.frameLocator('#html iframe').locator('p').textContent()).toBe('framed')
  })

  it('H14: learns nothing from its visitors: no credentials, no referrer', async () => {
    const context = await lab.browser.newContext()
    await context.addCookies([{ name: 'session', value: 'secret', url: lab.api.url }])
    lab.api.seen.length = 0
    const page = await lab.open(everything, { context })
    await fill(page, 'Nativecoin')
    await fill(page, 'IPFS')
    const asked = lab.api.seen.filter(({ path }) => path !== '/hook.js' && path !== '/frame')
    expect(asked.length).toBeGreaterThan(5)
    for (const { headers } of asked) {
      expect(headers.cookie).toBeUndefined()
      expect(headers.referer).toBeUndefined()
    }
  })
})
