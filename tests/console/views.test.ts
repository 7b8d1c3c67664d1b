import jsQr from 'jsqr'
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { axeViolations, horizontalOverflow, obscuredWhenFocused, smallTargets } from '../kit/check-accessibility.ts'
import { launchBrowser, launchDark } from '../kit/launch-browser.ts'
import type { ConsoleServer } from './server/console-server.ts'
import { ADDRESS, type Furnished, furnish, isDoor, LETTER, VIEWS } from './server/furnish.ts'
import { serveConsole } from './server/serve-console.ts'

let browser: Browser
let darkBrowser: Browser
let server: ConsoleServer
let made: Furnished

beforeAll(async () => {
  browser = await launchBrowser()
  darkBrowser = await launchDark(browser)
  server = await serveConsole()
  made = furnish(server.state)
})
afterAll(async () => {
  await Promise.all([...new Set([browser, darkBrowser])].map((each) => each.close()))
  await server.close()
})
afterEach(() => server.allowAll())

async function open(path: string, options: { width?: number; dark?: boolean; signedIn?: boolean } = {}): Promise<Page> {
  server.state.signedIn = options.signedIn ?? true
  const context = await (options.dark ? darkBrowser : browser).newContext({
    viewport: { width: options.width ?? 1280, height: 860 },
    colorScheme: options.dark ? 'dark' : 'light',
  })
  const page = await context.newPage()
  await page.addInitScript(() => {
    document.addEventListener('securitypolicyviolation', (event) => {
      document.documentElement.dataset.violation = `${event.violatedDirective} ${event.blockedURI}`
    })
  })
  const asked = new Set<unknown>()
  page.on('request', (request) => request.url().endsWith('/v0/events') || asked.add(request))
  page.on('requestfinished', (request) => asked.delete(request))
  page.on('requestfailed', (request) => asked.delete(request))
  pending.set(page, asked)
  await page.goto(server.origin + path)
  return page
}

/** Requests of a page that have no answer yet; the stream of events never ends. */
const pending = new WeakMap<Page, Set<unknown>>()

/** Waits until a view has all of its responses. */
async function settled(page: Page): Promise<void> {
  await expect.poll(() => pending.get(page)?.size).toBe(0)
  await expect.poll(() => page.locator('[aria-busy]').count()).toBe(0)
}

describe.each(VIEWS)('%s', (name, path, title) => {
  const door = isDoor(name)
  const address = () => `/console${path(made)}`
  it('axe finds nothing, on a desktop and a phone, light and dark, and the policy is kept', async () => {
    for (const [width, dark] of [
      [1280, false],
      [1280, true],
      [320, false],
      [320, true],
    ] as const) {
      const page = await open(address(), { width, dark, signedIn: !door })
      await page.getByRole('heading', { level: 1, name: title, exact: true }).waitFor()
      await settled(page)
      expect(await page.evaluate("matchMedia('(prefers-color-scheme: dark)').matches")).toBe(dark)
      expect(await page.evaluate(() => document.documentElement.dataset.violation)).toBeUndefined()
      expect(await axeViolations(page)).toEqual([])
      await page.context().close()
    }
  })
  it('console 38: fits 320 px, with targets 44 px high and nothing under a bar that has the focus', async () => {
    const page = await open(address(), { width: 320, signedIn: !door })
    await page.getByRole('heading', { level: 1, name: title, exact: true }).waitFor()
    await settled(page)
    expect(await horizontalOverflow(page)).toBe(0)
    expect(await smallTargets(page, 44)).toEqual([])
    expect(await obscuredWhenFocused(page)).toEqual([])
    await page.context().close()
  })
})

describe('what is verified', () => {
  it('shows the letter at the door once its transactions were hashed, and nothing of it when a byte differs', async () => {
    const page = await open('/console', { signedIn: false })
    await expect.poll(() => page.getByText('Verified in this browser, just now').isVisible()).toBe(true)
    expect(await page.locator('[title="A letter stored on Bitcoin"]').textContent()).toBe(LETTER)
    await page.context().close()

    const [txid = ''] = server.state.letter?.txids ?? []
    const good = server.state.chain.get(txid) ?? Buffer.alloc(0)
    const bad = Buffer.from(good)
    bad.writeUInt8(bad.readUInt8(70) ^ 1, 70)
    server.state.chain.set(txid, bad)
    try {
      const lied = await open('/console', { signedIn: false })
      await expect.poll(() => lied.getByText('Not shown. The bytes do not match their name.').isVisible()).toBe(true)
      expect(await lied.getByText(LETTER).count()).toBe(0)
      expect(await lied.getByText('Verified in this browser', { exact: false }).count()).toBe(0)
      await lied.context().close()
    } finally {
      server.state.chain.set(txid, good)
    }
  })
})

describe('paying', () => {
  it('console 21: the code is dark on white in both themes and at 360 px, and decodes to the link', async () => {
    for (const [width, dark] of [
      [1280, false],
      [1280, true],
      [360, false],
      [360, true],
    ] as const) {
      const page = await open(`/console/pay/${ADDRESS}`, { width, dark })
      const code = page.locator('.qr')
      await code.waitFor()
      const shot = await code.screenshot()
      const pixels = await page.evaluate(async (png) => {
        const image = new Image()
        const bytes = Uint8Array.from(atob(png), (character) => character.charCodeAt(0))
        image.src = URL.createObjectURL(new Blob([bytes], { type: 'image/png' }))
        await image.decode()
        const canvas = new OffscreenCanvas(image.width, image.height)
        const context = canvas.getContext('2d')
        context?.drawImage(image, 0, 0)
        const data = context?.getImageData(0, 0, image.width, image.height)
        // A character for each byte: a list of as many numbers takes a driver minutes.
        const text = Array.from(data?.data ?? [], (byte) => String.fromCharCode(byte)).join('')
        return { text, width: image.width, height: image.height }
      }, shot.toString('base64'))
      const data = Uint8ClampedArray.from(Buffer.from(pixels.text, 'latin1'))
      const found = jsQr(data, pixels.width, pixels.height, {
        inversionAttempts: 'dontInvert',
      })
      expect(found?.data).toBe(`nativecoin:${ADDRESS}?amount=0.06284110`)
      expect(await page.getByRole('link', { name: /Open in a Nativecoin wallet/ }).getAttribute('href')).toBe(
        found?.data,
      )
      await page.context().close()
    }
  })
  it('console 20: names the chain in the heading, beside the code and on the button', async () => {
    const page = await open(`/console/pay/${ADDRESS}`)
    await page.getByRole('heading', { level: 1, name: 'Pay on Nativecoin' }).waitFor()
    await page.locator('.qr + p', { hasText: 'Nativecoin' }).waitFor()
    await page.getByRole('link', { name: 'Open in a Nativecoin wallet' }).waitFor()
    await page.context().close()
  })
  it('console 27: takes code and address away when the price ran out, and offers a new one', async () => {
    const payment = server.state.payments.get(ADDRESS)
    if (!payment) throw new Error('the payment is not there')
    payment.state = 'expired'
    try {
      const page = await open(`/console/pay/${ADDRESS}`)
      await page.getByText('The price ran out').waitFor()
      expect(await page.locator('.qr').count()).toBe(0)
      expect(await page.getByText(ADDRESS).count()).toBe(0)
      await page.getByRole('button', { name: 'Get a new price' }).waitFor()
      await page.context().close()
    } finally {
      payment.state = 'open'
    }
  })
})

describe('failures', () => {
  it('console 2: opens no passkey window unasked, and shows a cancelled one as a way back to the password', async () => {
    server.state.passkeys = true
    server.state.signedIn = false
    const page = await browser.newPage()
    page.setDefaultTimeout(60_000)
    await page.addInitScript(() => {
      const asked: (string | undefined)[] = []
      Reflect.set(window, 'askedPasskeys', asked)
      Reflect.set(PublicKeyCredential, 'isConditionalMediationAvailable', async () => true)
      Reflect.set(PublicKeyCredential, 'parseRequestOptionsFromJSON', (options: unknown) => options)
      Reflect.set(CredentialsContainer.prototype, 'get', (options: { mediation?: string }) => {
        asked.push(options.mediation)
        // The request of the field is pending until the user chooses a passkey.
        if (options.mediation === 'conditional') return new Promise(() => {})
        return Promise.reject(new DOMException('closed', 'NotAllowedError'))
      })
    })
    try {
      await page.goto(`${server.origin}/console`)
      expect(await page.getByLabel('Email').getAttribute('autocomplete')).toBe('username webauthn')
      await expect.poll(() => page.evaluate('askedPasskeys')).toEqual(['conditional'])
      await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
      await page.getByText('The passkey window was closed. Your password works as well.').waitFor()
      await page.getByLabel('Email').fill('ann@example.com')
      await page.getByLabel('Password', { exact: true }).fill('Correct1')
      await page.getByRole('button', { name: 'Sign in', exact: true }).click()
      await page.getByRole('heading', { level: 1, name: 'Store' }).waitFor()
    } finally {
      server.state.passkeys = false
      await page.close()
    }
  })
  it('shows the older moves of the ledger when asked, and saves all of them as one table', async () => {
    const page = await open('/console/money')
    await page.getByText('DH5y…9Kqa', { exact: false }).waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Show more' }).click()
    await page.getByText('DH5y…9Kqa', { exact: false }).waitFor()
    expect(await page.getByRole('button', { name: 'Show more' }).count()).toBe(0)
    // What is saved, and not the download: Firefox's driver has none.
    await page.evaluate(() => {
      const make = URL.createObjectURL.bind(URL)
      URL.createObjectURL = (saved) => {
        if (saved instanceof Blob) void saved.text().then((text) => Reflect.set(window, 'savedText', text))
        return make(saved)
      }
    })
    await page.getByRole('button', { name: /CSV/ }).click()
    await expect
      .poll(() => page.evaluate(() => Reflect.get(window, 'savedText')))
      .toBe('at,change\r\n2026-11-22,0.0002\r\n2026-11-12,-40\r\n')
    await page.context().close()
  })
  it('console 39: a part that fails says so in its own section and keeps the rest', async () => {
    server.refuse('GET', /^\/v0\/ledger$/, { status: 503, message: 'The ledger is being read.', code: 'busy' })
    const page = await open('/console/money')
    await page.getByText('Ledger could not be read. The rest of this page is current.', { exact: false }).waitFor()
    await page.getByRole('heading', { name: 'Requests' }).waitFor()
    server.allowAll()
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByText('Late payment: foghorn.opus').waitFor()
    await page.context().close()
  })
  it('console 40: shows no "try again" for a 403, and waits as long as a 429 says', async () => {
    server.refuse('GET', /^\/v0\/ledger$/, { status: 403, message: 'Your key may not do this.', code: 'forbidden' })
    const page = await open('/console/money')
    await page.getByText('Your key may not do this.').waitFor()
    expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0)
    await page.context().close()
    server.allowAll()
    server.refuse('GET', /^\/v0\/ledger$/, { status: 429, code: 'too_many_requests', retryAfter: 30 })
    const busy = await open('/console/money')
    await busy.getByText('Too many requests. Try again in', { exact: false }).waitFor()
    expect(await busy.getByRole('button', { name: 'Try again' }).isDisabled()).toBe(true)
    await busy.context().close()
  })
})
