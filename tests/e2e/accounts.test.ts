import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { axeViolations } from '../kit/check-accessibility.ts'
import { browser, EMAIL, openService, worker } from './open-service.ts'

openService({ opens: 'browser' })

/** What the browser complained of: a refused style, a failed request. */
const complaints: string[] = []

async function send(path: string, body: unknown): Promise<number> {
  const headers = { 'Content-Type': 'application/json' }
  const response = await fetch(worker.url + path, { method: 'POST', headers, body: JSON.stringify(body) })
  await response.body?.cancel()
  return response.status
}

/** Opens the link of the newest mail, as a person does. */
async function followMail(count: number): Promise<Page> {
  const { mails } = worker.chains.devnet.outbox
  await expect.poll(() => mails.length).toBe(count)
  const [link = ''] = /http:\/\/\S+\?token=\S+/.exec(mails.at(-1)?.text ?? '') ?? []
  const { pathname, search } = new URL(link)
  const page = await browser.newPage()
  page.on('console', (message) => complaints.push(message.text()))
  await page.goto(worker.url + pathname + search)
  return page
}

describe('an account in a browser', () => {
  it('is verified by the mailed page, its password and its one button', async () => {
    const account = { email: EMAIL, password: 'Correct1', firstName: 'Ada', lastName: 'Lovelace' }
    expect(await send('/v0/user', account)).toBe(201)
    const page = await followMail(1)
    const link = page.url()
    expect(await page.title()).toBe('Confirm your email address')
    expect(await send('/v0/token', { email: EMAIL, password: 'Correct1' })).toBe(202)
    await page.getByLabel('Password').fill('Incorrect1')
    await page.getByRole('button', { name: 'Yes, confirm it' }).click()
    await page.getByRole('alert').filter({ hasText: 'not the password' }).waitFor()
    await page.getByLabel('Password').fill('Correct1')
    await page.getByRole('button', { name: 'Yes, confirm it' }).click()
    await page.getByRole('heading', { name: 'Thank you' }).waitFor()
    expect(await send('/v0/token', { email: EMAIL, password: 'Correct1' })).toBe(200)
    await page.goto(link)
    expect(await page.getByRole('heading').textContent()).toBe('That did not work')
  })

  it('gets a new password by the mailed page, whose field refuses a weak one before it is sent', async () => {
    expect(await send('/v0/user/password/send', { email: EMAIL })).toBe(202)
    const page = await followMail(2)
    expect(await page.getByLabel('Account').inputValue()).toBe(EMAIL)
    const field = page.getByLabel('New password')
    await field.fill('weak')
    await page.getByRole('button').click()
    expect(await page.evaluate("document.querySelector('[name=password]').validity.valid")).toBe(false)
    expect(await page.title()).toBe('Choose a new password')
    await field.fill('Changed1')
    await page.getByRole('button').click()
    await page.getByRole('heading', { name: 'Your password is set' }).waitFor()
    // 28.11: back into the console by a press.
    await page.locator('a.next').click()
    await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor()
    expect(await send('/v0/token', { email: EMAIL, password: 'Correct1' })).toBe(401)
    expect(await send('/v0/token', { email: EMAIL, password: 'Changed1' })).toBe(200)
  })

  it('has pages that their own policy lets look as they should', async () => {
    expect(await send('/v0/user/password/send', { email: EMAIL })).toBe(202)
    const page = await followMail(3)
    const radius = "getComputedStyle(document.querySelector('button')).borderRadius"
    expect(await page.evaluate(radius)).toBe('8px')
    expect(complaints.filter((text) => /policy|refused/i.test(text))).toEqual([])
  })

  it('28.11: has mailed pages on which axe finds nothing, light and dark, and that lead into the console', async () => {
    expect(await send('/v0/user/password/send', { email: EMAIL })).toBe(202)
    const page = await followMail(4)
    const link = page.url()
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      for (const path of [link, link.replace('/password', '/verify'), `${worker.url}/v0/user/password?token=x`]) {
        await page.goto(path)
        expect(await axeViolations(page)).toEqual([])
      }
    }
    await page.getByRole('link', { name: 'Hookline' }).click()
    await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor()
    // And so does the address of the service alone.
    await page.goto(worker.url)
    await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor()
    expect(new URL(page.url()).pathname).toBe('/console')
  })
})
