import { beforeEach, expect, it } from 'vitest'
import { openForEachTest, page, server } from './open-for-each-test.ts'

openForEachTest({ viewport: { width: 1280, height: 860 } })
beforeEach(() => {
  server.state.permissions = ['operate', 'moderate']
})

it('26.6: many reports are dismissed at once, with one reason; a refusal keeps them selected', async () => {
  await page.goto(`${server.origin}/console/operate/reports`)
  const rows = page.getByRole('row').filter({ hasText: 'Copies the sign-in page of a bank' })
  await expect.poll(() => rows.count()).toBe(3)
  await page.getByRole('checkbox', { name: 'Select all that are shown' }).check()
  await rows.first().getByRole('checkbox').uncheck()
  const bar = page.getByRole('region', { name: 'Selection' })
  await bar.getByText('2 selected').waitFor()
  await bar.getByRole('button', { name: 'Dismiss 2 reports' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Reason').fill('made up, all of one morning')
  server.refuse('PUT', /^\/v0\/report$/, { status: 503, code: 'busy', message: 'Try again in a moment.' })
  await dialog.getByRole('button', { name: 'Dismiss 2 reports' }).click()
  await dialog.getByText('Try again in a moment.').waitFor()
  expect(await dialog.getByLabel('Reason').inputValue()).toBe('made up, all of one morning')
  server.allowAll()
  await dialog.getByRole('button', { name: 'Dismiss 2 reports' }).click()
  await expect.poll(() => rows.count()).toBe(1)
  expect(server.requests.filter((request) => request.startsWith('PUT /v0/report'))).toHaveLength(2)
  expect(await bar.count()).toBe(0)
})

it('28.15: the audit log names people by their email addresses', async () => {
  await page.goto(`${server.origin}/console/operate/audit`)
  const row = page.getByRole('row').filter({ hasText: 'order 12/2026' })
  await row.getByText('ann@example.com').waitFor()
  await row.getByText('about lee@example.com').waitFor()
  expect(await row.getByText('9f2ab04c').count()).toBe(0)
})
