import { randomBytes, randomUUID } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { isBlockchain } from '../../protocol/chains.ts'
import { connect } from '../kit/call-devnet.ts'
import { startDisconnectingProxy } from '../kit/disconnecting-proxy.ts'
import { PASSWORD, signUp } from '../kit/sign-up.ts'
import { type RunningWorker, startWorker } from '../kit/start-worker.ts'
import type { EnginePage } from './engine-page.ts'
import { OTHER_ENGINES } from './engines.ts'

const MIB = 2 ** 20

let worker: RunningWorker
let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'hookline-film-'))
  worker = await startWorker()
})
afterAll(async () => {
  await worker?.close()
  await rm(folder, { recursive: true, force: true })
})

it.each(OTHER_ENGINES)(
  'a person signs in, uploads over a broken line, pays and finds the file in the library in %s',
  async (_, open) => {
    // Of this try alone: a test that is run again begins with an account of its own.
    const who = randomUUID()
    const film = join(folder, `${who}.mp4`)
    // The dead line lets 2 MiB pass on each connection: of this, more than the next interruption needs stays.
    await writeFile(film, randomBytes(15 * MIB))
    await signUp(worker, `${who}@example.com`)
    const proxy = await startDisconnectingProxy(worker.url)
    onTestFinished(() => proxy.close())
    const { page, close } = await open()
    onTestFinished(close)

    await page.goto(`${proxy.url}/console`)
    await page.type('input[type=email]', `${who}@example.com`)
    await page.type('input[type=password]', PASSWORD)
    await page.click('button', 'Sign in')
    await page.see('h1', 'Store')
    // Nothing of the session is where a script reads it.
    expect(await page.read('document.cookie + JSON.stringify({ ...localStorage, ...sessionStorage })')).toBe('{}')

    // What is small enough is compressed here first, in a worker, to say what it costs.
    const letter = join(folder, `${who}.txt`)
    await writeFile(letter, 'high tide, low tide\n'.repeat(1000))
    await page.type('input[type=file]:not([webkitdirectory])', letter)
    await page.see('.target small', 'stored')
    await page.goto(`${proxy.url}/console/store`)

    proxy.setDeadAfter(2 * MIB)
    await beginUpload(page, film)
    await expect.poll(() => piecesOf(`${who}.mp4`)).toBeGreaterThan(1)
    await page.goto('about:blank')
    proxy.setDeadAfter()
    // A second interruption, of the network only, while the upload continues.
    proxy.cuts.push(MIB)
    await page.goto(`${proxy.url}/console/store`)
    await page.click('.job a', `${who}.mp4`)
    await page.type('.notice input[type=file]', film)
    await page.see('h1', 'Pay on')
    expect(proxy.cuts).toEqual([])

    await pay(page)
    await page.see('main', 'Seen, 0 of')
    const mining = setInterval(() => worker.chains.devnet.mineWaiting(), 1000)
    onTestFinished(() => clearInterval(mining))
    await page.see('h1', '1 file is on IPFS')

    await page.goto(`${proxy.url}/console/library`)
    await page.click('a', `${who}.mp4`)
    await page.see('h1', `${who}.mp4`)
    expect(await page.read('document.body.innerText')).toContain('IPFS')
  },
)

/** Chooses a file, its target and that it is meant, and begins to upload it. */
async function beginUpload(page: EnginePage, path: string): Promise<void> {
  await page.type('input[type=file]:not([webkitdirectory])', path)
  await page.see('button', 'Upload 1 file')
  // Its parts move what is below them.
  await page.see('.target.on .parts')
  await page.click('label', 'On IPFS')
  await page.see('.target.on', 'On IPFS')
  await page.click('label', 'I know that everybody can read this')
  await page.click('button', 'Upload 1 file')
}

/** How many pieces of this item the service holds. */
async function piecesOf(name: string): Promise<number> {
  const db = await worker.miniflare.getD1Database('DB')
  const item = await db.prepare('SELECT id FROM items WHERE name = ?').bind(name).first<{ id: string }>()
  if (!item) return 0
  const bucket = await worker.miniflare.getR2Bucket('BUCKET')
  return (await bucket.list({ prefix: `chunks/${item.id}` })).objects.length
}

/** Pays the amount of the wallet link on the screen. */
async function pay(page: EnginePage): Promise<void> {
  await page.see('a[href*="?amount="]')
  const link = String(await page.read(`document.querySelector('a[href*="?amount="]').href`))
  const [, scheme = '', address, amount] = /^(\w+):(\w+)\?amount=([\d.]+)/.exec(link) ?? []
  const blockchain = scheme.charAt(0).toUpperCase() + scheme.slice(1)
  if (!isBlockchain(blockchain)) throw new Error(`no chain in ${link}`)
  connect(worker.chains.devnet, blockchain)('sendtoaddress', address, amount)
}
