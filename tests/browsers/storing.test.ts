import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { addPayment } from '../console/server/add-payment.ts'
import type { ConsoleServer } from '../console/server/console-server.ts'
import { addFolder, addItem } from '../console/server/fake-state.ts'
import { serveConsole } from '../console/server/serve-console.ts'
import { tempFile } from '../kit/temp-folder.ts'
import type { Engine } from './engine-page.ts'
import { OTHER_ENGINES } from './engines.ts'

const FILES = 'input[type=file]:not([webkitdirectory])'
const LETTER = Buffer.alloc(200, 'x')

/** As tests/console has them in Chromium and Firefox, with as much as WebKit's driver can do. */
describe.each(OTHER_ENGINES)('storing in %s', (_, open) => {
  let engine: Engine
  let server: ConsoleServer
  beforeAll(async () => {
    engine = await open()
  })
  afterAll(() => engine?.close())
  beforeEach(async () => {
    server = await serveConsole()
    server.state.signedIn = true
    return async () => {
      await engine.page.goto('about:blank')
      await server.close()
    }
  })

  it('28.3: what does not fit says so where it was chosen, and goes elsewhere by one press', async () => {
    const { page } = engine
    await page.goto(`${server.origin}/console/store`)
    await page.type(FILES, await tempFile('film.mp4', Buffer.alloc(17_000_000)))
    await page.see('.notice p', 'film.mp4 is 17.0\u00a0MB. Nativecoin takes 16.7\u00a0MB a file.')
    await page.click('button', 'Store on IPFS instead')
    await page.see('.target.on', 'On IPFS')
  })

  it('28.1, 12 and 13: says what was stored before and what it costs, and pays by a press alone', async () => {
    const { page } = engine
    server.state.balances.Nativecoin = 100_000_000n
    addItem(server.state, { name: 'old.txt', bytes: LETTER, createdAt: Date.UTC(2026, 4, 3, 12) / 1000 })
    await page.goto(`${server.origin}/console/store`)
    await page.type(FILES, await tempFile('letter.txt', LETTER))
    await page.see('.notice p', 'You stored letter.txt on 3 May 2026: here it is.')
    await page.see('.target.on small', 'about, 1 transaction')
    await page.see('.target.on .parts')
    await page.see('.price-now', 'It costs about')
    await page.see('.price-now', 'Your balance of 1.00000000\u00a0NTC covers it.')
    await page.click('label', 'I know that everybody can read this')
    await page.click('button', 'Upload 1 file')
    await page.see('h1', 'Pay on Nativecoin')
    await page.see('.from-balance p', 'It covers this; 0.63715890\u00a0NTC is left then.')
    expect(server.state.balances.Nativecoin).toBe(100_000_000n)
    await page.click('.from-balance button', 'Pay 0.36284110\u00a0NTC from the balance')
    await page.see('h1', 'Writing')
    expect(server.state.balances.Nativecoin).toBe(63_715_890n)
  })

  it('28.4: "Stop and remove" ends an order', async () => {
    const { page } = engine
    server.weather.refuse = { status: 503, code: 'busy', message: 'A moment.', retryAfter: 600 }
    await page.goto(`${server.origin}/console/store`)
    await page.type(FILES, await tempFile('film.mp4', Buffer.alloc(2 ** 21)))
    await page.see('.target.on .parts')
    await page.click('label', 'I know that everybody can read this')
    await page.click('button', 'Upload 1 file')
    await page.see('.notice', 'The service is busy.')
    await page.click('button', 'Stop and remove')
    await page.click('dialog button', 'Remove 1 file')
    await page.see('button', 'Choose files')
    expect(server.state.items.size).toBe(0)
  })

  it('28.8: while the server is down the last counts stay, with when they were read', async () => {
    const { page } = engine
    addItem(server.state, { name: 'letter.txt' })
    await page.goto(`${server.origin}/console/library`)
    await page.see('.head p', '1 item in all')
    await page.click('nav a', 'Sites')
    await page.see('h1', 'Sites')
    for (const method of ['GET', 'POST', 'PUT']) server.refuse(method, /^\//, { status: 0 })
    server.cutStreams()
    await page.click('nav a', 'Library')
    await page.see('h1', 'Library')
    await page.see('.head p', 'as of')
    await page.see('main', 'The service did not answer. Nothing was changed.')
  })

  it('28.12: a stored item has one link to open and to scan, and its own address is explained', async () => {
    const { page } = engine
    const { id } = addItem(server.state, { name: 'letter.txt' })
    await page.goto(`${server.origin}/console/item/${id}`)
    await page.see('a', 'Open')
    // What is shown above the button moves it until then.
    await page.see('.quiet', 'That it is mined')
    await page.click('button', 'QR code')
    await page.see('.qr')
    await page.see('main p', 'There it is a page by itself')
  })

  it('28.14: on a narrow screen amount and address stand before the code, and a chain under its folder', async () => {
    const { page } = engine
    addFolder(server.state, { name: 'almanac' })
    const { address } = addPayment(server.state)
    await page.resize(480, 800)
    await page.goto(`${server.origin}/console/pay/${address}`)
    await page.see('.qr')
    const topOf = async (selector: string) =>
      Number(await page.read(`document.querySelector('${selector}').getBoundingClientRect().top`))
    expect(await topOf('.amount')).toBeLessThan(await topOf('.qr'))
    expect(await topOf('.copy-field')).toBeLessThan(await topOf('.qr'))
    await page.goto(`${server.origin}/console/library`)
    await page.see('th a', 'almanac')
    await page.see('td', 'Nativecoin')
    expect(await topOf('tbody th')).toBeLessThan(await topOf('tbody td:nth-child(5)'))
  })
})
