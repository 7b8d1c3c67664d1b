import { describe, expect, it } from 'vitest'
import { connect } from '../kit/call-devnet.ts'
import { openService, page, send as sendAs, worker } from './open-service.ts'

openService({ account: 'admin', mines: true, opens: 'console' })

const send = async (method: string, path: string, body?: unknown): Promise<Record<string, unknown>> =>
  await (await sendAs(method, path, JSON.stringify(body))).json()

describe('an open page', () => {
  it('shows money that comes without being asked to, by the stream of events', async () => {
    const live = page.waitForResponse((response) => response.url().endsWith('/v0/events') && response.ok())
    await page.goto(`${worker.url}/console/money`)
    await live
    const { address } = await send('GET', '/payment/Dogecoin')
    connect(worker.chains.devnet, 'Dogecoin')('sendtoaddress', address, '77.5')
    await page.getByText('77.5').first().waitFor()
  })
})

describe("the operator's part of the console", () => {
  it('shows each chain, and that ledger, wallet and chain agree after a deposit', async () => {
    const { address } = await send('GET', '/payment/Nativecoin')
    connect(worker.chains.devnet, 'Nativecoin')('sendtoaddress', address, '1.23456789')
    await expect.poll(async () => (await send('GET', '/user')).balances).toMatchObject({ Nativecoin: 1.23456789 })
    await page.goto(`${worker.url}/console/operate/reconciliation`)
    const row = page.getByRole('row').filter({ hasText: 'Nativecoin' })
    await row.waitFor()
    expect((await row.textContent())?.match(/1\.23456789/g)).toHaveLength(3)
    await page.goto(`${worker.url}/console/operate/health`)
    for (const chain of ['Nativecoin', 'Dogecoin', 'Bitcoin']) {
      await page.getByRole('row').filter({ hasText: chain }).getByText('Works').waitFor()
    }
    await page.getByText('agreed to the last unit').waitFor()
  })

  it('lets a failed record go on, with a reason that the audit log shows', async () => {
    const db = await worker.miniflare.getD1Database('DB')
    await db
      .prepare(
        `INSERT INTO failed_records (blockchain, kind, id, reason, tries, since, retry_at)
         VALUES ('Bitcoin', 'tx_chain', 'ab:0', 'it cannot be signed', 30, ?1, ?1 + 600000)`,
      )
      .bind(Date.now() - 60_000)
      .run()
    await page.goto(`${worker.url}/console/operate/failed-records`)
    const row = page.getByRole('row').filter({ hasText: 'it cannot be signed' })
    await row.getByRole('button', { name: 'Let it go on' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Reason').fill('the key was restored')
    await dialog.getByRole('button', { name: 'Let it go on' }).click()
    await dialog.waitFor({ state: 'detached' })
    // The agent may have looked at it already, and forgotten a tx chain that is not there.
    const retryAt = await db.prepare(`SELECT retry_at FROM failed_records WHERE id = 'ab:0'`).first<number>('retry_at')
    expect(retryAt ?? 0).toBe(0)
    await page.goto(`${worker.url}/console/operate/audit`)
    await page.getByText('the key was restored').waitFor()
  })
})
