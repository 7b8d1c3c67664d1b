import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { saveFile } from '../kit/save-file.ts'
import { tempFolder } from '../kit/temp-folder.ts'
import { dropAndChoose, payByFaucet, upload } from '../kit/use-console.ts'
import { browser, openService, page } from './open-service.ts'

const settings = (port: number) => ({ STORAGE_HOST: `storage.localhost:${port}` })
openService({ settings, blockMs: 2000, account: 'user', opens: 'console' })

async function almanac(): Promise<string> {
  const folder = join(await tempFolder(), 'almanac')
  await mkdir(join(folder, 'months'), { recursive: true })
  await writeFile(join(folder, 'index.html'), '<title>Almanac</title><h1>Tides</h1><a href="months/may.html">May</a>')
  await writeFile(join(folder, 'months', 'may.html'), '<title>May</title><h1>High tide at noon</h1>')
  return folder
}

it('29: a dropped folder is one website on a chain, in the library, on its page, its receipt and as a site', async () => {
  await dropAndChoose(page, [await almanac()], 'Permanent, on Nativecoin')
  await page.getByText('1 item. The folder almanac becomes one website').first().waitFor()
  await upload(page)
  await page.getByRole('heading', { level: 1, name: 'Pay on Nativecoin' }).waitFor()
  await payByFaucet(page)
  await page.getByRole('heading', { level: 1, name: '2 files are in the chain' }).waitFor()
  await page.getByText(/^Verified in this browser at/).waitFor()
  await page.frameLocator('figure iframe').frameLocator('iframe').getByRole('heading', { name: 'Tides' }).waitFor()

  // Its one link shows the page, and what the page links to.
  const link = await page.getByRole('link', { name: 'Open', exact: true }).getAttribute('href')
  const visitor = await browser.newPage()
  await visitor.goto(link ?? '')
  await visitor.getByRole('link', { name: 'May' }).click()
  await visitor.getByRole('heading', { name: 'High tide at noon' }).waitFor()
  await visitor.close()

  await page.getByRole('link', { name: 'Open in library' }).click()
  await page.getByRole('rowheader', { name: 'almanac 2 files' }).waitFor()
  await page.getByRole('link', { name: /^almanac/ }).click()
  await page.getByText(/^2 files, \d+ bytes, permanent on Nativecoin$/).waitFor()
  await page.getByText('Content id').waitFor()
  await page
    .getByRole('group')
    .getByText(/^\d+ transactions?$/)
    .waitFor()
  const saved = await saveFile(page, () => page.getByRole('button', { name: 'Download' }).click())
  expect(saved.name).toBe('almanac.car')
  // The header of a CAR of one root.
  expect(saved.text.slice(0, 30)).toMatch(/^:.eroots/)
  await page.getByRole('link', { name: 'Receipt' }).click()
  await page.getByRole('row', { name: /^almanac, one website of 2 files permanent on Nativecoin / }).waitFor()
  await page.goBack()

  await page.getByRole('button', { name: 'Make a site of it' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Make a site' }).click()
  await page.getByText('shows version 1').waitFor()
  const site = await browser.newPage()
  await site.goto((await page.getByRole('link', { name: 'Open', exact: true }).getAttribute('href')) ?? '')
  expect(await site.title()).toBe('Almanac')
  await site.close()
})
