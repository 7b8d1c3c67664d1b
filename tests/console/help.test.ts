import { expect, it } from 'vitest'
import { axeViolations } from '../kit/check-accessibility.ts'
import { openForEachTest, page, server } from './open-for-each-test.ts'

openForEachTest()

it('the help answers questions in plain words, with or without an account, and is searched by words of the answers', async () => {
  for (const signedIn of [false, true]) {
    server.state.signedIn = signedIn
    await page.goto(`${server.origin}/console`)
    await page.getByRole('link', { name: 'Help' }).click()
    await page.getByRole('heading', { level: 1, name: 'Help' }).waitFor()
    expect(await page.locator('.help summary').count()).toBeGreaterThanOrEqual(15)
    await page.getByLabel('Search the questions').fill('lost passw')
    const found = page.locator('.help details[open]').getByText('We mail you a link', { exact: false })
    await found.waitFor()
    expect(await axeViolations(page)).toEqual([])
    await page.getByLabel('Search the questions').fill('xylophone')
    await page.getByText('No question has all of the words “xylophone”.', { exact: false }).waitFor()
    const link = page.getByRole('link', { name: 'the description of the API' })
    expect(await link.getAttribute('href')).toBe('/docs')
  }
})

it('a help of the operator takes the place of the console’s own', async () => {
  server.state.links.help = 'https://example.com/help'
  await page.goto(`${server.origin}/console`)
  await page.locator('footer a[href="https://example.com/help"]').waitFor()
})

const TXID = 'ab'.repeat(32)

const ITEM = {
  ...{ name: `${TXID}i0`, encoding: 'inscription', type: 'image/png', typeFrom: 'chain', contentEncoding: null },
  ...{ size: 1234, sha256: 'cd'.repeat(32), delegate: null, parents: [], metadata: null, metaprotocol: null },
  ...{ pointer: null, missing: 0, input: 0, vout: null },
}

async function look(chain: string, txid: string): Promise<void> {
  await page.getByRole('button', { name: chain, exact: true }).click()
  await page.getByLabel('Id of the transaction').fill(txid)
  await page.getByRole('button', { name: 'Look inside' }).click()
}

it('the help lists what a transaction holds, and opens what a name alone opens', async () => {
  server.state.decoded.set(TXID, [
    ITEM,
    { ...ITEM, encoding: 'doginal', type: null, missing: 2 },
    { ...ITEM, encoding: 'op_return', type: null, name: TXID, size: 5, input: null, vout: 1 },
  ])
  for (const signedIn of [false, true]) {
    server.state.signedIn = signedIn
    await page.goto(`${server.origin}/console/help`)
    await look('Dogecoin', ` ${TXID.toUpperCase()} `)
    await page.getByText('3 entries').waitFor()
    const entries = page.getByRole('listitem').filter({ hasText: /Inscription|Doginal|OP_RETURN/ })
    expect((await entries.allTextContents()).map((text) => text.replaceAll('\u00a0', ' '))).toEqual([
      'Inscription, 1.2 KB · image/png Open its content',
      'Doginal, 1.2 KB · of an unknown type · 2 parts in later transactions',
      'Data in OP_RETURN, 5 bytes',
    ])
    const link = page.getByRole('link', { name: 'Open its content' })
    expect(await link.getAttribute('href')).toBe(`/v0/web/Dogecoin/${TXID}i0`)
    expect(await axeViolations(page)).toEqual([])
  }
})

it('the help says what is no transaction id, which chain has none, and that a transaction holds nothing', async () => {
  await page.goto(`${server.origin}/console/help`)
  await look('Bitcoin', 'ab')
  await page.getByText('has 64 digits', { exact: false }).waitFor()
  await look('Bitcoin', TXID)
  await page.getByText('Bitcoin has no transaction with this id.').waitFor()
  server.state.decoded.set(TXID, [])
  await look('Bitcoin', TXID)
  await page.getByText('It holds no content and no data.').waitFor()
  expect(await axeViolations(page)).toEqual([])
})
