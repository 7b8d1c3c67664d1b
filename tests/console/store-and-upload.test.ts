import { writeFileSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { dropFiles } from '../kit/drop-files.ts'
import { pickFiles } from '../kit/pick-files.ts'
import { tempFile } from '../kit/temp-folder.ts'
import { upload as agreeAndUpload } from '../kit/use-console.ts'
import { openForEachTest, page, server } from './open-for-each-test.ts'
import { addItem, store } from './server/fake-state.ts'

const MIB = 2 ** 20

openForEachTest()

/** Chooses files by the picker and goes through to the upload. */
async function upload(files: { name: string; buffer: Buffer }[]): Promise<void> {
  await page.goto(`${server.origin}/console/store`)
  await pickFiles(page, files)
  await agreeAndUpload(page)
}

const text = (name: string, size = 200) => ({ name, mimeType: 'text/plain', buffer: Buffer.alloc(size, 'x') })

describe('a folder', () => {
  it('console 3 and 4: arrives whole with 101 and 250 files, dropped and picked, and with 10,000', {
    timeout: 300_000,
  }, async () => {
    const root = await mkdtemp(join(tmpdir(), 'hookline-folders-'))
    for (const count of [101, 250, 10_000]) {
      const folder = join(root, `of-${count}`)
      await mkdir(join(folder, 'below'), { recursive: true })
      // The same name and bytes in two folders are two files.
      await writeFile(join(folder, 'below', '0.txt'), 'x')
      for (let n = 0; n < count - 1; n++) writeFileSync(join(folder, `${n}.txt`), 'x')
      const heading = page.getByRole('heading', { level: 1, name: `Store ${count.toLocaleString('en')} files` })
      // Picking goes through no code of its own for many files.
      for (const way of count > 1000 ? ['drop'] : ['drop', 'pick']) {
        await page.goto(`${server.origin}/console/store`)
        if (way === 'pick') await pickFiles(page, folder)
        else await dropFiles(page, page.getByRole('region', { name: 'Drop files or folders here' }), [folder])
        await heading.waitFor({ timeout: 180_000 })
      }
    }
    await rm(root, { recursive: true })
  })
})

describe('from a file to the chain', () => {
  it('console 6 and 30: asks once before anything is sent, and says stored only after the read-back', async () => {
    await page.goto(`${server.origin}/console/store`)
    await page.setInputFiles('input[type=file]:not([webkitdirectory])', [text('letter.txt')])
    const agreed = page.getByRole('checkbox', { name: /everybody can read this/ })
    expect(await agreed.isChecked()).toBe(false)
    await page.getByRole('button', { name: 'Upload 1 file' }).click()
    await page.getByText('Tick the box to go on.').waitFor()
    expect(await agreed.evaluate((box) => box === document.activeElement)).toBe(true)
    expect(server.requests.some((request) => request === 'POST /v0/item')).toBe(false)

    await agreed.check()
    // Who agreed to one target did not agree to another.
    await page.getByRole('radio', { name: 'On IPFS' }).check({ force: true })
    await expect.poll(() => agreed.isChecked()).toBe(false)
    await page.getByRole('radio', { name: 'Permanent, on Nativecoin' }).check({ force: true })
    await agreed.check()
    await page.getByRole('button', { name: 'Upload 1 file' }).click()
    await page.getByRole('heading', { level: 1, name: 'Pay on Nativecoin' }).waitFor()
    await expect.poll(() => server.state.payments.size).toBe(1)

    const [payment] = server.state.payments.values()
    const [item] = server.state.items.values()
    if (!payment || !item) throw new Error('nothing was asked for')
    payment.received = payment.amount
    payment.transactions.push({
      txid: 'c4'.repeat(32),
      amount: payment.amount,
      depth: 0,
      seenAt: 0,
      late: false,
      replaced: false,
    })
    server.emit('request.seen', { address: payment.address })
    await page.getByText('Seen, 0 of 3 blocks').waitFor()

    payment.state = 'settled'
    item.status = '202 Accepted'
    server.emit('request.settled', { address: payment.address })
    await page.getByRole('heading', { level: 1, name: /^Writing/ }).waitFor()

    store(server.state, item)
    server.emit('item.stored', { id: item.id })
    await page.getByRole('heading', { level: 1, name: '1 file is in the chain' }).waitFor()
    await page.getByText('Verified in this browser at', { exact: false }).waitFor()
  })

  it('asks for the payment of all files only when the last of them is merged', async () => {
    const files = Array.from({ length: 101 }, (_, index) => text(`${index}.txt`))
    await page.goto(`${server.origin}/console/store`)
    await page.setInputFiles('input[type=file]:not([webkitdirectory])', files)
    await agreeAndUpload(page)
    await page.getByRole('heading', { level: 1, name: 'Pay on Nativecoin' }).waitFor({ timeout: 150_000 })
    await expect.poll(() => server.state.payments.size).toBe(1)
    expect([...server.state.payments.values()].map(({ ids }) => ids.length)).toEqual([101])
  })

  it('console 9: refuses what is too large before it is uploaded, naming the file, the limit and two ways out', async () => {
    await page.goto(`${server.origin}/console/store`)
    await page.setInputFiles('input[type=file]:not([webkitdirectory])', [text('big.txt', 2 * MIB), text('small.txt')])
    await page.getByRole('radio', { name: 'Permanent, on Nativecoin' }).check({ force: true })
    const refusal = page.getByText(/^big\.txt is 2\.1\sMB\. Bitcoin takes 1\.2\sMB a file\. Leave it out, or choose/)
    await refusal.waitFor()
    expect(await page.getByRole('radio', { name: 'Permanent, on Bitcoin' }).isDisabled()).toBe(true)
    await page.getByRole('button', { name: 'Leave out big.txt' }).first().click()
    await expect.poll(() => page.getByRole('radio', { name: 'Permanent, on Bitcoin' }).isDisabled()).toBe(false)
  })

  it('console 8: shows no price where the node gives no fee', async () => {
    server.refuse('POST', /^\/v0\/estimate$/, { status: 503, code: 'no_fee', message: 'The node gives no fee.' })
    await page.goto(`${server.origin}/console/store`)
    await page.getByText('No price now').first().waitFor()
    expect(await page.locator('.target .price', { hasText: /NTC|BTC|DOGE/ }).count()).toBe(0)
  })
})

describe('an upload', () => {
  it('console 10: goes in chunks of 1 MiB as ArrayBuffers', async () => {
    await page.addInitScript(() => {
      const send = XMLHttpRequest.prototype.send
      XMLHttpRequest.prototype.send = function (body) {
        const kinds = (document.documentElement.dataset.bodies ?? '').split(',')
        document.documentElement.dataset.bodies = [...kinds, body?.constructor.name].join()
        return send.call(this, body)
      }
    })
    await upload([{ name: 'film.mp4', buffer: Buffer.alloc(12 * MIB, 7) }])
    await page.getByRole('heading', { level: 1, name: /^Pay/ }).waitFor()
    expect(server.weather.largest).toBe(MIB)
    const bodies = await page.evaluate(() => document.documentElement.dataset.bodies ?? '')
    expect(bodies).toContain('ArrayBuffer')
    expect(bodies).not.toMatch(/Blob|File/)
  })

  it('console 13: goes on where it was when the network is cut, without sending what was kept', async () => {
    server.weather.cuts = [300_000, 900_000, 100]
    await upload([{ name: 'film.mp4', buffer: Buffer.alloc(12 * MIB, 5) }])
    // Three waits before it goes on, each longer than the one before.
    await page.getByRole('heading', { level: 1, name: /^Pay/ }).waitFor({ timeout: 150_000 })
    const [item] = server.state.items.values()
    expect(item?.bytes.equals(Buffer.alloc(12 * MIB, 5))).toBe(true)
    expect(server.weather.cuts).toEqual([])
    // Of each chunk that was cut, at most what had arrived is sent again.
    expect(server.weather.taken - 12 * MIB).toBeLessThan(3 * MIB)
  })

  it('console 14: takes a fresh token for each request', async () => {
    server.state.tokenSeconds = 6
    await upload([{ name: 'film.mp4', buffer: Buffer.alloc(10 * MIB, 5) }])
    await page.getByRole('heading', { level: 1, name: /^Pay/ }).waitFor()
    expect(server.requests.filter((request) => request === 'PUT /console/session').length).toBeGreaterThan(1)
  })

  it('console 14: goes on after a token that ended while the network was gone', async () => {
    const ended = { status: 401, code: 'token_invalid', message: 'The token has ended.', times: 1 }
    server.weather.refuse = { status: 503, code: 'busy', message: 'A moment.', times: 1, next: ended }
    await upload([{ name: 'film.mp4', buffer: Buffer.alloc(2 * MIB, 5) }])
    await page.getByRole('heading', { level: 1, name: /^Pay/ }).waitFor()
    expect(server.weather.refuse).toBeUndefined()
  })

  it('console 11, 12 and 15: shows a refusal with its reason, first, counts none of its bytes, and retries it alone', async () => {
    server.weather.refuse = { status: 413, code: 'upload_too_long', message: 'It is longer than was said.' }
    server.weather.refuseFrom = 1
    await upload([text('small.txt'), { name: 'big.mp4', buffer: Buffer.alloc(2 * MIB, 5) }])
    await page.getByText('1 file could not be uploaded').waitFor()
    await page.getByText('big.mp4: It is longer than was said.').waitFor()
    server.weather.refuse = undefined
    const before = server.requests.filter((request) => request === 'POST /v0/item').length
    await page.getByRole('button', { name: 'Try it again' }).click()
    await page.getByRole('heading', { level: 1, name: /^Pay/ }).waitFor()
    expect(server.requests.filter((request) => request === 'POST /v0/item').length).toBe(before)
  })

  it('console 16 and 18: lists what is unfinished, takes the same file on, and tells another one apart', async () => {
    const whole = Buffer.alloc(3 * MIB, 9)
    addItem(server.state, {
      name: 'film.mp4',
      mimetype: 'video/mp4',
      status: '201 Created',
      size: whole.length,
      bytes: whole.subarray(0, 2 * MIB),
    })
    await page.goto(`${server.origin}/console/store`)
    await page.getByText('film.mp4').waitFor()
    const input = page.locator('.job input[type=file]')
    await input.setInputFiles(await tempFile('film.mp4', Buffer.alloc(3 * MIB, 8)))
    await page.getByText(/^This is another file than the one that was begun/).waitFor()
    await input.setInputFiles(await tempFile('film.mp4', whole))
    await page.getByRole('heading', { level: 1, name: /^Pay/ }).waitFor()
    expect(server.weather.taken).toBe(MIB)
    expect([...server.state.items.values()].map(({ bytes }) => bytes.equals(whole))).toEqual([true])
  })

  it('lists more unfinished uploads than a page has', async () => {
    for (let index = 1; index <= 21; index++) {
      addItem(server.state, { name: `part-${index}.bin`, status: '201 Created', size: MIB, bytes: Buffer.alloc(0) })
    }
    await page.goto(`${server.origin}/console/store`)
    await page.getByText('part-20.bin').waitFor()
    await page.getByText('part-21.bin').waitFor()
    expect(await page.getByText('part-1.bin').count()).toBe(1)
  })
})

describe('the session', () => {
  it('keeps no token where a script can read it', async () => {
    server.state.signedIn = false
    await page.goto(`${server.origin}/console`)
    await page.getByLabel('Email').fill('ann@example.com')
    await page.getByLabel('Password').fill('Correct1')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { level: 1, name: 'Store' }).waitFor()
    const kept = await page.evaluate(async () => {
      const names = (await indexedDB.databases()).map(({ name }) => name)
      return JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, names])
    })
    expect(kept).not.toMatch(/eyJ|Correct1|token/i)
  })

  it('says at the field what is wrong with a sign-in, and keeps what was typed', async () => {
    server.state.signedIn = false
    await page.goto(`${server.origin}/console`)
    await page.getByLabel('Email').fill('ann@example.com')
    await page.getByLabel('Password').fill('Wrong1')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText('Email or password is wrong.', { exact: false }).waitFor()
    expect(await page.getByLabel('Email').inputValue()).toBe('ann@example.com')
    expect(await page.getByLabel('Password').getAttribute('aria-invalid')).toBe('true')
  })

  it('console 1: the tab that waits goes on within 5 s once the link was confirmed elsewhere', async () => {
    server.state.signedIn = false
    await page.clock.install()
    await page.goto(`${server.origin}/console/sign-up`)
    await page.getByLabel('Given name').fill('Ann')
    await page.getByLabel('Family name').fill('Lindqvist')
    await page.getByLabel('Email').fill('ann@example.com')
    await page.getByLabel('Password').fill('Correct1')
    await page.getByRole('button', { name: 'Make the account' }).click()
    await page.getByRole('heading', { level: 1, name: 'Look at your mail' }).waitFor()
    // No timer fires from here on but those of the next five seconds.
    await page.clock.pauseAt(Date.now() + 60_000)
    const looks = () => server.requests.filter((request) => request.startsWith('GET /v0/user/wait/')).length
    const before = looks()
    await page.clock.runFor(5_000)
    await expect.poll(looks).toBeGreaterThan(before)
    server.state.verified = true
    await page.clock.resume()
    await page.getByRole('heading', { level: 1, name: 'Store' }).waitFor()
  })
})
