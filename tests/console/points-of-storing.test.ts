import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { pickFiles } from '../kit/pick-files.ts'
import { upload } from '../kit/use-console.ts'
import { openForEachTest, page, server } from './open-for-each-test.ts'
import { addItem, objectId } from './server/fake-state.ts'

const MIB = 2 ** 20

openForEachTest()

const text = (name: string, size = 200) => ({ name, mimeType: 'text/plain', buffer: Buffer.alloc(size, 'x') })

async function choose(...files: ReturnType<typeof text>[]): Promise<void> {
  await page.goto(`${server.origin}/console/store`)
  await page.setInputFiles('input[type=file]:not([webkitdirectory])', files)
}

const asked = (request: string) => server.requests.filter((each) => each === request).length

it('console 5 and 7: what is hidden is listed and left out, and the folder with the pages is offered as the website', async () => {
  const root = await mkdtemp(join(tmpdir(), 'hookline-repo-'))
  const files = ['readme.md', '.env', '.git/config', 'node_modules/a.js', 'dist/index.html', 'dist/pages/index.html']
  for (const path of files) {
    await mkdir(join(root, 'repo', dirname(path)), { recursive: true })
    await writeFile(join(root, 'repo', path), path)
  }
  await writeFile(join(root, 'repo', 'empty.txt'), '')
  await page.goto(`${server.origin}/console/store`)
  await pickFiles(page, join(root, 'repo'))
  await page.getByRole('heading', { level: 1, name: 'Store 4 files' }).waitFor()
  await page.getByText('3 files left out').click()
  const left = await page.locator('.left-out li > span').allTextContents()
  expect(left.sort()).toEqual(['repo/.env hidden', 'repo/.git/config hidden', 'repo/node_modules/a.js node_modules'])
  await page.getByRole('button', { name: 'Take in repo/.env' }).click()
  await page.getByRole('heading', { level: 1, name: 'Store 5 files' }).waitFor()

  await page.getByRole('radio', { name: 'On IPFS' }).check({ force: true })
  await page.getByText('repo has no index.html at its top.', { exact: false }).waitFor()
  await page.getByRole('button', { name: 'Use repo/dist as the website' }).click()
  await page.getByRole('heading', { level: 1, name: 'Store 2 files' }).waitFor()
  expect(await page.getByText('has no index.html at its top.', { exact: false }).count()).toBe(0)
  await rm(root, { recursive: true })
})

it('stores a file of 0 bytes as any other', async () => {
  await choose(text('py.typed', 0))
  await upload(page)
  await page.getByRole('heading', { level: 1, name: 'Pay on Nativecoin' }).waitFor()
  expect([...server.state.items.values()].map(({ name, size }) => [name, size])).toEqual([['py.typed', 0]])
})

it('console 6 and 8: the price has its parts and its age, and what is agreed to is named', async () => {
  await choose(text('letter.txt'))
  const parts = page.locator('.target.on .parts')
  await parts.waitFor()
  expect(await parts.locator('dt').allTextContents()).toEqual(['Fee of the chain', 'Keeping and serving'])
  for (const amount of await parts.locator('dd').allTextContents()) expect(amount).toMatch(/^0\.\d{8}\sNTC$/)
  await page.getByText(/^Fees read \d+\sseconds? ago$/).waitFor()
  await page.getByRole('heading', { name: 'Store 1 file for good?' }).waitFor()
  await page.getByText(/^1 file, 200\sbytes, permanent on Nativecoin\.$/).waitFor()
  await page.getByText('I know that everybody can read this and that nobody can remove it.').waitFor()
})

it('console 13: an upload without an answer is begun again after 20 s, and one that waits goes on as soon as the network is back', async () => {
  await page.clock.install()
  server.refuse('POST', /^\/v0\/item$/, { status: 0, hangs: true })
  await choose(text('letter.txt'))
  await upload(page)
  await expect.poll(() => asked('POST /v0/item')).toBe(1)
  server.allowAll()
  // The longest wait that a service may ask for: no timer ends it within the test.
  const busy = { status: 503, code: 'busy', message: 'A moment.', retryAfter: 120 }
  server.refuse('POST', /^\/v0\/item$/, busy)
  await page.clock.fastForward(21_000)
  await expect
    .poll(async () => {
      await page.clock.fastForward(2_000)
      return asked('POST /v0/item')
    })
    .toBeGreaterThan(1)
  await page.getByText('The service is busy.').waitFor()
  const before = asked('POST /v0/item')
  await page.evaluate(() => dispatchEvent(new Event('online')))
  await expect.poll(() => asked('POST /v0/item')).toBeGreaterThan(before)
  server.allowAll()
  // The page may not have read the last refusal yet: one that waits for nothing is not woken.
  await expect
    .poll(async () => {
      await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')))
      return await page.getByRole('heading', { level: 1, name: 'Pay on Nativecoin' }).isVisible()
    })
    .toBe(true)
})

it('console 16: an unfinished upload says its folder, size and end, and one that was removed is not begun again silently', async () => {
  const folder = objectId()
  server.state.folders.set(folder, { id: folder, name: 'almanac', blockchain: 'IPFS', parent: null, createdAt: 1 })
  const begun = addItem(server.state, {
    name: 'film.mp4',
    folder,
    status: '201 Created',
    size: 3 * MIB,
    bytes: Buffer.alloc(MIB),
  })
  server.weather.refuse = { status: 503, code: 'busy', message: 'A moment.', retryAfter: 120 }
  await choose(text('talk.txt', 2 * MIB))
  await upload(page)
  await page.getByText('The service is busy.').waitFor()
  for (const [id, { name }] of server.state.items) if (name === 'talk.txt') server.state.items.delete(id)
  await page.evaluate(() => dispatchEvent(new Event('online')))
  await page.getByText('talk.txt: This upload was removed at the server.', { exact: false }).waitFor()
  expect(asked('POST /v0/item')).toBe(1)

  await page.goto(`${server.origin}/console/store`)
  const row = page.locator('.job').filter({ hasText: 'film.mp4 in almanac' })
  await row.getByText(/^1\.0\sMB of 3\.1\sMB$/).waitFor()
  await row.getByText(/until \d/).waitFor()
  // If the parts cannot be compared, no error is shown for the file.
  server.refuse('GET', /^\/v0\/upload\/\w+$/, { status: 503, code: 'busy', message: 'A moment.' })
  const input = row.locator('input[type=file]')
  await input.setInputFiles(text('film.mp4', 3 * MIB))
  await row.getByText('A moment.').waitFor()
  expect(await page.getByText('This is another file', { exact: false }).count()).toBe(0)
  server.refuse('DELETE', new RegExp(begun.id), { status: 503, code: 'busy', message: 'Not now.' })
  await row.getByRole('button', { name: 'Remove film.mp4' }).click()
  await row.getByText('Not now.').waitFor()
})

it('console 37 and 38: the start, quarters and the end of an upload are said once each, while the screen is kept on', async () => {
  await page.addInitScript(() => {
    const told: string[] = []
    Reflect.set(window, 'heard', told)
    const lock = { release: async () => void told.push('screen let go') }
    const wakeLock = {
      async request(kind: string) {
        told.push(`${kind} kept on`)
        return lock
      },
    }
    Object.defineProperty(navigator, 'wakeLock', { value: wakeLock })
    let last = ''
    new MutationObserver(() => {
      const said = document.querySelector('[aria-live=polite]')?.textContent ?? ''
      if (said !== '' && said !== last) told.push(said)
      last = said
    }).observe(document, { subtree: true, childList: true, characterData: true })
  })
  const folder = await mkdtemp(join(tmpdir(), 'hookline-film-'))
  await writeFile(join(folder, 'film.mp4'), Buffer.alloc(10 * MIB))
  await page.goto(`${server.origin}/console/store`)
  await page.setInputFiles('input[type=file]:not([webkitdirectory])', join(folder, 'film.mp4'))
  await upload(page)
  await page.getByRole('heading', { level: 1, name: /^Pay/ }).waitFor()
  const heard = () => page.evaluate((): string[] => Reflect.get(window, 'heard'))
  await expect.poll(heard).toContain('The upload is done.')
  await expect.poll(heard).toContain('screen let go')
  const all = await heard()
  expect(all).toContain('screen kept on')
  const said = all.filter((sentence) => /upload/.test(sentence))
  expect(said[0]).toBe('The upload of 1 file has started.')
  expect(said.some((sentence) => /percent uploaded/.test(sentence))).toBe(true)
  expect(new Set(said).size).toBe(said.length)
  await rm(folder, { recursive: true })
})

it('what is agreed to as soon as it is asked stays agreed to', async () => {
  await page.addInitScript(() => {
    const watch = new MutationObserver(() => {
      const asking = [...document.querySelectorAll('label')].find((label) =>
        /everybody can read/.test(label.textContent),
      )
      if (!asking) return
      watch.disconnect()
      asking.click()
    })
    watch.observe(document, { subtree: true, childList: true })
  })
  await choose(text('letter.txt'))
  const box = page.getByRole('checkbox', { name: /everybody can read this/ })
  await page.getByRole('button', { name: 'Upload 1 file' }).press('Enter')
  await page
    .getByRole('heading', { level: 1, name: 'Pay on Nativecoin' })
    .or(page.getByText('Tick the box to go on.'))
    .waitFor()
  expect(await box.count()).toBe(0)
})

it('an order that is opened again asks for all its items in lists, and none of them alone', async () => {
  await choose(...Array.from({ length: 130 }, (_, index) => text(`${index}.txt`)))
  await upload(page)
  await page.getByRole('heading', { level: 1, name: /^Pay/ }).waitFor()
  await expect.poll(() => server.state.payments.size).toBe(1)
  const [payment] = server.state.payments.values()
  if (!payment) throw new Error('nothing is asked for')
  payment.state = 'settled'
  for (const item of server.state.items.values()) item.status = '202 Accepted'
  server.emit('request.settled', { address: payment.address })
  await page.getByRole('heading', { level: 1, name: /^Writing/ }).waitFor()
  await expect.poll(keptStates).toEqual(['writing'])
  const address = page.url()
  await page.goto('about:blank')
  for (const item of server.state.items.values()) item.status = '409 Conflict'
  const before = server.requests.length
  await page.goto(address)
  await page.getByText('129.txt stopped').or(page.getByText('0.txt stopped')).first().waitFor()
  await expect.poll(() => asked('POST /v0/item/merge')).toBeGreaterThanOrEqual(4)
  const since = server.requests.slice(before)
  expect(since.filter((request) => /^GET \/v0\/item\/[0-9a-f]{24}$/.test(request))).toEqual([])
})

/** The states of the items of the order that the browser stored. */
function keptStates(): Promise<string[]> {
  return page.evaluate(
    () =>
      new Promise((resolve) => {
        const opening = indexedDB.open('hookline-console')
        opening.onsuccess = () => {
          const reading = opening.result.transaction('orders').objectStore('orders').getAll()
          reading.onsuccess = () => {
            const items = reading.result.flatMap((each: { order: { items: { state: string }[] } }) => each.order.items)
            resolve([...new Set(items.map(({ state }) => state))])
            opening.result.close()
          }
        }
      }),
  )
}
