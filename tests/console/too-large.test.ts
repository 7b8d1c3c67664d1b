import { randomBytes } from 'node:crypto'
import { expect, it } from 'vitest'
import { pickFiles } from '../kit/pick-files.ts'
import { upload } from '../kit/use-console.ts'
import { openForEachTest, page, server } from './open-for-each-test.ts'

openForEachTest()

const letter = { name: 'letter.txt', buffer: Buffer.alloc(200, 'x') }

async function choose(...files: { name: string; buffer: Buffer }[]): Promise<void> {
  await page.goto(`${server.origin}/console/store`)
  await pickFiles(page, files)
}

it('28.3: what does not fit says so where it was chosen, with the target that would take it and one press for that', async () => {
  await choose({ name: 'film.mp4', buffer: Buffer.alloc(17_000_000) }, letter)
  const sentence = /^film\.mp4 is 17\.0\sMB\. Nativecoin takes 16\.7\sMB a file\. Leave it out, or choose IPFS\.$/
  await page.getByText(sentence).waitFor()
  expect(await page.getByRole('button', { name: 'Upload 2 files' }).isDisabled()).toBe(true)
  await page.getByRole('button', { name: 'Store on IPFS instead' }).click()
  expect(await page.getByRole('radio', { name: 'On IPFS' }).isChecked()).toBe(true)
  expect(await page.getByRole('button', { name: 'Upload 2 files' }).isDisabled()).toBe(false)
})

it('28.3: sizes come from the service, and what compresses is held to those only once that is known', async () => {
  server.state.maxIncompressibleBytes = { Nativecoin: 1_000_000 }
  await page.goto(`${server.origin}/console/store`)
  await page.getByText(/1\sMB a file on Nativecoin/).waitFor()
  await choose({ name: 'tides.txt', buffer: Buffer.alloc(1_200_000, 'tide ') })
  await page
    .getByText(/^about .* stored$/)
    .first()
    .waitFor()
  expect(await page.getByRole('button', { name: 'Upload 1 file' }).isDisabled()).toBe(false)

  await choose({ name: 'harbour.jpg', buffer: randomBytes(1_200_000) })
  await page.getByText(/^harbour\.jpg is 1\.2\sMB\. Nativecoin takes 1\sMB a file\./).waitFor()
  await choose({ name: 'noise.txt', buffer: randomBytes(1_200_000) })
  await page.getByText(/^noise\.txt is 1\.2\sMB\. Nativecoin takes 1\sMB a file\./).waitFor()
})

it('28.3: what the service refuses after the upload is stored elsewhere by one press', async () => {
  const message = 'Compressed, this is more than Nativecoin takes: 15000 transactions of 80 bytes. IPFS would take it.'
  server.state.refusedMerges = { blockchain: 'Nativecoin', message }
  await choose(letter)
  await upload(page)
  await page.getByRole('heading', { level: 1, name: '1 file cannot be stored on Nativecoin' }).waitFor()
  await page.getByText(`letter.txt: ${message}`).waitFor()
  expect(await page.getByRole('heading', { name: /^Preparing/ }).count()).toBe(0)
  await page.getByRole('button', { name: 'Store on IPFS instead' }).click()
  await page.getByRole('heading', { level: 1, name: 'Pay on Nativecoin' }).waitFor()
  await expect
    .poll(() => [...server.state.items.values()].map(({ name, blockchain }) => [name, blockchain]))
    .toEqual([['letter.txt', 'IPFS']])
})
