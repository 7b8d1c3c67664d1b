import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { launchBrowser } from '../kit/launch-browser.ts'
import { type RunningWorker, startWorker } from '../kit/start-worker.ts'

const EMAIL = 'ada@example.com'
const PASSWORD = 'Correct1'

let worker: RunningWorker
let browser: Browser
let context: BrowserContext
let page: Page

beforeAll(async () => {
  ;[worker, browser] = await Promise.all([startWorker(), launchBrowser()])
  await signUp()
  context = await browser.newContext()
  page = await context.newPage()
  const devtools = await context.newCDPSession(page)
  await devtools.send('WebAuthn.enable')
  await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
})
afterAll(async () => {
  await Promise.all([browser.close(), worker.close()])
})

/** An account whose address is verified, by the link of the mail. */
async function signUp(): Promise<void> {
  const body = JSON.stringify({ email: EMAIL, password: PASSWORD, firstName: 'Ada', lastName: 'Lovelace' })
  const headers = { 'Content-Type': 'application/json' }
  await fetch(`${worker.url}/v0/user`, { method: 'POST', headers, body })
  const { mails } = worker.chains.devnet.outbox
  await vi.waitFor(() => expect(mails).toHaveLength(1), 60_000)
  const [, token = ''] = /verify\?token=(\S+)/.exec(mails[0]?.text ?? '') ?? []
  const form = new URLSearchParams({ token, password: PASSWORD })
  expect((await fetch(`${worker.url}/v0/user/verify`, { method: 'POST', body: form })).status).toBe(200)
}

const at = (path: string, host: string) => worker.url.replace('127.0.0.1', host) + path

/** Whose account the console shows, once it does. */
async function expectSignedIn(): Promise<void> {
  await page.getByLabel('Password', { exact: true }).waitFor({ state: 'detached' })
  await page.goto(at('/console/account', 'localhost'))
  await page.getByRole('cell', { name: 'Laptop', exact: true }).waitFor()
  expect(await page.getByText(EMAIL).count()).toBeGreaterThan(0)
}

it('console 2: a passkey is added, and signs in from the ordinary name field with no window unasked', async () => {
  await page.goto(at('/console', 'localhost'))
  await page.getByLabel('Email').fill(EMAIL)
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByLabel('Password', { exact: true }).waitFor({ state: 'detached' })
  await page.goto(at('/console/account', 'localhost'))
  await page.getByRole('button', { name: 'Add a passkey' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name of the device').fill('Laptop')
  await dialog.getByRole('button', { name: 'Add a passkey' }).click()
  await page.getByRole('cell', { name: 'Laptop', exact: true }).waitFor()
  // The virtual authenticator chooses what the browser offers in the name field by itself.
  await context.clearCookies()
  await page.goto(at('/console', 'localhost'))
  await expectSignedIn()
})

it('console 2: a passkey signs in by a press where the browser offers none in the field, until it is removed', async () => {
  await context.clearCookies()
  await page.addInitScript('PublicKeyCredential.isConditionalMediationAvailable = async () => false')
  await page.goto(at('/console', 'localhost'))
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
  await expectSignedIn()
  await page.getByRole('button', { name: 'Remove Laptop' }).click()
  await page.getByRole('cell', { name: 'Laptop', exact: true }).waitFor({ state: 'detached' })
  await context.clearCookies()
  await page.goto(at('/console', 'localhost'))
  const button = page.getByRole('button', { name: 'Sign in with a passkey' })
  await button.waitFor()
  const refused = page.waitForResponse(
    (response) => response.url().endsWith('/console/session') && response.request().method() === 'POST',
  )
  await button.click()
  expect((await refused).status()).toBe(401)
})

it('is not offered under an IP address, for which browsers take none', async () => {
  const other = await browser.newPage()
  await other.goto(at('/console', '127.0.0.1'))
  await other.getByRole('button', { name: 'Sign in', exact: true }).waitFor()
  expect(await other.getByRole('button', { name: 'Sign in with a passkey' }).count()).toBe(0)
  await other.close()
})
