import { expect, it } from 'vitest'
import { openForEachTest, page, server } from './open-for-each-test.ts'

openForEachTest({ locale: 'de-AT' })

/** Has a new folder refused by the service, whose sentence is English. */
async function refusedFolder(code: string, message: string): Promise<void> {
  server.refuse('POST', /^\/v0\/folder/, { status: 409, code, message })
  await page.goto(`${server.origin}/console/library`)
  await page.getByRole('button', { name: 'Neuer Ordner' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name des Ordners').fill('Briefe')
  await dialog.getByRole('button', { name: 'Ordner anlegen' }).click()
}

const said = () => page.getByRole('dialog').getByRole('alert')

it('says in the language of the page why the service refused something', async () => {
  await refusedFolder('name_taken', 'Another entry of the folder has this name. Choose another one.')
  await said().getByText('In diesem Ordner hat schon etwas diesen Namen. Wählen Sie einen anderen.').waitFor()
  expect(await said().textContent()).not.toContain('Another')
})

it('lets the sentence of the service follow where only that one says which limit was reached', async () => {
  await refusedFolder('quota_exceeded', 'An account may have 9 folders. Delete one first.')
  await said().getByText('auf Englisch: An account may have 9 folders. Delete one first.').waitFor()
})

it('shows the sentence of the service while its own cannot be loaded', async () => {
  await page.route(/\/assets\/errors-/, (route) => route.abort())
  const failed = page.waitForEvent('requestfailed', (request) => request.url().includes('/assets/errors-'))
  await refusedFolder('name_taken', 'Another entry of the folder has this name. Choose another one.')
  await failed
  await said().getByText('Another entry of the folder has this name.', { exact: false }).waitFor()
})
