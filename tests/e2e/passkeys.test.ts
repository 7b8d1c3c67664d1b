import type { BrowserContext, Page } from 'playwright-core'
import { beforeAll, expect, it } from 'vitest'
import { PASSWORD } from '../kit/sign-up.ts'
import { browser, EMAIL, openService, worker } from './open-service.ts'

let context: BrowserContext
let page: Page

openService({ account: 'user', opens: 'browser' })
beforeAll(async () => {
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
