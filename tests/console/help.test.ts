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
