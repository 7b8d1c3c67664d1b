import { expect, it } from 'vitest'
import { openForEachTest, page, server } from './open-for-each-test.ts'
import { addItem } from './server/fake-state.ts'

openForEachTest({ viewport: { width: 1280, height: 860 } })

const heading = (name: string) => page.getByRole('heading', { level: 1, name, exact: true })

/** A service that accepts no connections any more. */
function takeDown(): void {
  for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']) server.refuse(method, /^\//, { status: 0 })
  server.cutStreams()
}

it('28.8: while the server is down the last counts stay, with when they were read, and are never zero', async () => {
  for (let n = 0; n < 3; n++) addItem(server.state, { name: `${n}.txt` })
  await page.goto(`${server.origin}/console/library`)
  await page.getByText('3 items in all').waitFor()
  await page.getByRole('link', { name: 'Sites' }).first().click()
  await heading('Sites').waitFor()
  // Views that were not looked at yet are loaded before they are needed, one after the other, this after Money.
  await expect.poll(() => server.requests.some((request) => request.includes('/assets/account-'))).toBe(true)
  takeDown()
  await page.getByRole('link', { name: 'Library' }).first().click()
  await heading('Library').waitFor()
  await page.getByText(/^3 items in all, .*, as of \d\d:\d\d$/).waitFor()
  const filters = page.getByRole('navigation', { name: 'Filter by state' })
  expect((await filters.textContent())?.replace(/\s+/g, ' ')).toContain('All 3Stored 3')
  await page.getByText('The service did not answer. Nothing was changed.').first().waitFor()
  expect(await page.getByRole('heading', { name: 'Nothing stored yet' }).count()).toBe(0)
  await page
    .getByRole('term')
    .filter({ hasText: /^As of \d\d:\d\d$/ })
    .waitFor()
  await page.getByRole('link', { name: 'Money' }).first().click()
  await heading('Money').waitFor()
})

it('a view that cannot be loaded says so, and is there once the page is loaded again', async () => {
  server.refuse('GET', /\/assets\/money-/, { status: 503 })
  await page.goto(`${server.origin}/console/sites`)
  await heading('Sites').waitFor()
  await page.getByRole('link', { name: 'Money' }).first().click()
  await heading('A part of the console could not be loaded. Load the page again.').waitFor()
  server.allowAll()
  await page.getByRole('button', { name: 'Load again' }).click()
  await heading('Money').waitFor()
})

it('28.8: where the counts were never read there are none, and no zeros', async () => {
  addItem(server.state, { name: 'a.txt' })
  server.refuse('GET', /^\/v0\/item\/counts$/, { status: 503, code: 'unavailable', message: 'The database is down.' })
  await page.goto(`${server.origin}/console/library`)
  await page.getByRole('rowheader', { name: 'a.txt' }).waitFor()
  const filters = page.getByRole('navigation', { name: 'Filter by state' })
  expect(await filters.textContent()).not.toMatch(/\d/)
})

it('28.8: a press does something within 100 ms though no answer comes', async () => {
  server.refuse('DELETE', /sessions/, { status: 0, hangs: true })
  const took: number[] = []
  // The least of ten: what else the machine does only ever adds.
  for (let press = 0; press < 10 && Math.min(...took, 9999) >= 100; press++) {
    await page.goto(`${server.origin}/console/account`)
    await page.getByText('Safari on iPhone').waitFor()
    // From the press to the first change of the page, as the page itself sees it.
    await page.evaluate(() => {
      document.addEventListener('click', () => {
        const at = performance.now()
        const observer = new MutationObserver(() => {
          observer.disconnect()
          document.documentElement.dataset.took = String(performance.now() - at)
        })
        observer.observe(document.body, { childList: true, subtree: true, characterData: true, attributes: true })
      })
    })
    await page.getByRole('button', { name: 'End it Safari on iPhone' }).click()
    await page.getByText('Waiting for the service').waitFor()
    took.push(Number(await page.evaluate(() => document.documentElement.dataset.took)))
  }
  expect(Math.min(...took)).toBeLessThan(100)
})
