import { describe, expect, it } from 'vitest'
import { storeFiles } from '../kit/store-files.ts'
import { openService, page, worker } from './open-service.ts'

openService({ account: 'admin', opens: 'console' })

/** Stores a page of its own, and reports it. */
async function reportPage(reason: string): Promise<string> {
  const { root } = await storeFiles(worker, { 'index.html': `<!doctype html><title>${reason}</title>` })
  const response = await fetch(`${worker.url}/v0/report`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ kind: 'cid', value: root, reason, evidence: 'https://bank.example/warning' }),
  })
  expect(response.status).toBe(201)
  return root
}

const statusOf = async (root: string) => {
  const response = await fetch(`${worker.url}/ipfs/${root}/`)
  await response.body?.cancel()
  return response.status
}

describe('the reports of the console', () => {
  it('deny what was reported, from the browser to everybody, and take it back at the denylist', async () => {
    const root = await reportPage('A copy of a bank')
    expect(await statusOf(root)).toBe(200)
    await page.goto(`${worker.url}/console/operate/reports`)
    const row = page.getByRole('row').filter({ hasText: 'A copy of a bank' })
    await row.getByText('https://bank.example/warning').waitFor()
    const look = await row.getByRole('link', { name: 'Look, sandboxed' }).getAttribute('href')
    expect(new URL(look ?? '').host).toMatch(/^storage\.localhost/)
    await row.getByRole('button', { name: 'Deny' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Reason').fill('phishing')
    await dialog.getByRole('button', { name: 'Deny' }).click()
    await dialog.waitFor({ state: 'detached' })
    await page.getByText('No report waits.').waitFor()
    expect(await statusOf(root)).toBe(451)

    await page.goto(`${worker.url}/console/operate/reports?status=denied`)
    await page.getByRole('row').filter({ hasText: 'A copy of a bank' }).waitFor()

    await page.goto(`${worker.url}/console/operate/denylist`)
    await page.getByRole('row').filter({ hasText: 'phishing' }).getByRole('button', { name: 'Serve it again' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Serve it again' }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await expect.poll(() => statusOf(root)).toBe(200)
  })

  it('dismiss what is not to be denied, which stays served', async () => {
    const root = await reportPage('I do not like it')
    await page.goto(`${worker.url}/console/operate/reports`)
    await page.getByRole('row').filter({ hasText: 'I do not like it' }).getByRole('button', { name: 'Dismiss' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Reason').fill('no rule is broken')
    await dialog.getByRole('button', { name: 'Dismiss' }).click()
    await dialog.waitFor({ state: 'detached' })
    await page.getByText('No report waits.').waitFor()
    expect(await statusOf(root)).toBe(200)
  })

  it('leave a line each in the audit log, which the console shows with its reason', async () => {
    await page.goto(`${worker.url}/console/operate/audit`)
    await page.getByText('no rule is broken').first().waitFor()
    await page.getByText('denied: phishing').first().waitFor()
  })
})
