import { expect, it } from 'vitest'
import { openForEachTest, page, server } from './open-for-each-test.ts'
import { ADDRESS, addPayment } from './server/add-payment.ts'
import { addFolder, addItem } from './server/fake-state.ts'

openForEachTest({ viewport: { width: 1280, height: 860 } })

const heading = (name: string) => page.getByRole('heading', { level: 1, name, exact: true })

/** Where a text begins. */
function left(text: string): Promise<number> {
  return page.getByText(text, { exact: true }).evaluate((element) => {
    const range = element.ownerDocument.createRange()
    range.selectNodeContents(element)
    return range.getBoundingClientRect().left
  })
}

async function open(path: string): Promise<void> {
  await page.goto(server.origin + path)
}

it('28.15: one of something is one: item, file and byte', async () => {
  const folder = addFolder(server.state, { name: 'single' })
  const { id } = addItem(server.state, { name: 'one.txt', bytes: Buffer.from('x'), folder: folder.id })
  await open('/console/library')
  await page.getByText('1 item in all, 1 byte', { exact: true }).waitFor()
  await page.getByRole('rowheader', { name: 'single 1 file' }).waitFor()
  await open(`/console/item/${id}`)
  await page.getByText('text, 1 byte, permanent on Nativecoin').waitFor()
  await page.getByText('unpacked 1 byte, and', { exact: false }).waitFor()
  expect(await page.locator('main').textContent()).not.toMatch(/\b1 (items|files|bytes|transactions)\b/)
})

it('28.15: the second page of a folder does not say of each row which folder it is in', async () => {
  const folder = addFolder(server.state, { name: 'big300' })
  for (let n = 0; n < 60; n++) {
    addItem(server.state, { name: `${n}.txt`, status: '402 Payment Required', folder: folder.id })
  }
  await open(`/console/library/folder/${folder.id}`)
  await page.getByRole('link', { name: 'Page 2' }).click()
  await page.getByText('51 to 60 of 60').waitFor()
  await heading('big300').waitFor()
  expect(await page.getByRole('rowheader').first().textContent()).toMatch(/^\d+\.txt\s*$/)
  // A search over all folders names the folder.
  await open('/console/library?name=7')
  await page.getByRole('rowheader', { name: '7.txt in big300' }).waitFor()
})

it('28.15: buttons for addresses stand side by side, and the text of a plain button where the page begins', async () => {
  await open('/console/money')
  const buttons = page.getByRole('button', { name: /^Get an address on/ })
  await expect.poll(() => buttons.count()).toBe(2)
  const tops = await buttons.evaluateAll((all) => all.map((each) => Math.round(each.getBoundingClientRect().top)))
  expect(new Set(tops).size).toBe(1)

  const folder = addFolder(server.state, { name: 'letters' })
  await open(`/console/library/folder/${folder.id}`)
  await heading('letters').waitFor()
  expect(
    Math.abs((await left('Rename')) - (await heading('letters').evaluate((h) => h.getBoundingClientRect().left))),
  ).toBeLessThan(1)
})

it('28.15: on the page for paying no button is wider than its column, and the way to cancel begins where its part does', async () => {
  server.state.faucet = `${server.origin}/faucet`
  addPayment(server.state)
  await open(`/console/pay/${ADDRESS}`)
  await page.getByText('and remove the file.').waitFor()
  const faucet = page.getByRole('button', { name: 'Pay from the faucet of this machine' })
  const [link, code] = await Promise.all([faucet.boundingBox(), page.locator('.qr').boundingBox()])
  expect(link?.width).toBeLessThanOrEqual(code?.width ?? 0)
  expect(await faucet.evaluate((element) => element.scrollWidth - element.clientWidth)).toBe(0)
  expect(Math.abs((await left('Cancel the order')) - (await left('Other ways')))).toBeLessThan(1)
})

it('28.15: an object id stands beside the button that copies it', async () => {
  const { id } = addItem(server.state, { name: 'one.txt' })
  await open(`/console/item/${id}`)
  await page.getByRole('definition').filter({ hasText: id }).getByRole('button', { name: 'Copy: Object id' }).waitFor()
})
