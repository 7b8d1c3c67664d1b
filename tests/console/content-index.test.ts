import { randomBytes } from 'node:crypto'
import { expect, it } from 'vitest'
import { openForEachTest, page, server } from './open-for-each-test.ts'

openForEachTest()

const WRITES_INDEX = 'Write an index: one more transaction, whose id alone is enough to read the content of several.'

/** Chooses a file of several transactions and opens the dialog that confirms the upload. */
async function ask(where: string) {
  await page.goto(`${server.origin}/console/store`)
  const buffer = randomBytes(250_000)
  await page.setInputFiles('input[type=file]:not([webkitdirectory])', [
    { name: 'large.bin', mimeType: 'application/octet-stream', buffer },
  ])
  await page.getByRole('radio', { name: where }).check({ force: true })
}

it.each([
  ['with its index, where nobody says otherwise', true],
  ['without, where the box is cleared', false],
])('a file of several transactions on Nativecoin is merged %s', async (_, index) => {
  await ask('Permanent, on Nativecoin')
  const box = page.getByRole('checkbox', { name: WRITES_INDEX })
  expect(await box.isChecked()).toBe(true)
  if (!index) await box.uncheck()
  await page.getByRole('checkbox', { name: /everybody can read this/ }).check()
  const merge = page.waitForRequest(
    (request) => request.method() === 'POST' && request.url().endsWith('/v0/item/merge'),
  )
  await page.getByRole('button', { name: 'Upload 1 file' }).click()
  expect((await merge).postDataJSON()).toMatchObject({ index })
})

it('where transactions hold too little, it is said that there is none', async () => {
  await ask('Permanent, on Bitcoin')
  await page.getByText('one on Bitcoin holds too little for an index', { exact: false }).waitFor()
  expect(await page.getByRole('checkbox', { name: WRITES_INDEX }).count()).toBe(0)
})
