import { expect, it } from 'vitest'
import { axeViolations } from '../kit/check-accessibility.ts'
import { isFirefox } from '../kit/pick-files.ts'
import { context, openForEachTest, page, server } from './open-for-each-test.ts'
import { addWebhook } from './server/answer-account.ts'

openForEachTest({ viewport: { width: 1280, height: 860 } })

const heading = (name: string) => page.getByRole('heading', { level: 1, name, exact: true })
const dialog = () => page.getByRole('dialog')
const button = (name: string) => page.getByRole('button', { name, exact: true })

async function open(path: string): Promise<void> {
  await page.goto(server.origin + path)
}

it('28.10: sessions say with what and where they were begun and which is this one, and the others can be ended', async () => {
  await open('/console/account')
  const rows = page
    .getByRole('region')
    .or(page.locator('section'))
    .filter({ has: page.getByRole('heading', { name: 'Where you are signed in' }) })
    .getByRole('row')
  await rows.first().waitFor()
  expect(await rows.filter({ hasText: 'Firefox on Linux, Germany' }).textContent()).toContain('This browser')
  expect(await rows.filter({ hasText: 'Firefox on Linux' }).getByRole('button').count()).toBe(0)
  await rows.filter({ hasText: 'Another program' }).waitFor()
  await button('End it Safari on iPhone').click()
  await expect.poll(() => rows.filter({ hasText: 'Safari' }).count()).toBe(0)
  expect(await rows.count()).toBe(2)
})

it('28.10: a webhook is added, tested and ended on a page of its own; what is refused keeps what was typed', async () => {
  await open('/console/account')
  await page.getByRole('link', { name: 'See the webhooks' }).click()
  await heading('Webhooks').waitFor()
  await page.getByRole('heading', { name: 'No webhook yet' }).waitFor()
  await button('Add a webhook').click()
  await dialog().getByLabel('Address').fill('shop.example.com')
  await dialog().getByRole('checkbox', { name: 'Withdrawals' }).check()
  await dialog().getByText('Type an address that begins with https://', { exact: false }).waitFor()
  await dialog().getByLabel('Address').fill('http://shop.example.com/hook')
  await dialog().getByRole('button', { name: 'Add a webhook' }).click()
  await dialog().getByText('url must be https on a public host.').waitFor()
  expect(await dialog().getByRole('checkbox', { name: 'Withdrawals' }).isChecked()).toBe(true)
  await dialog().getByLabel('Address').fill('https://shop.example.com/hook')
  await dialog().getByRole('button', { name: 'Add a webhook' }).click()
  await page.getByText('Copy the secret now', { exact: false }).waitFor()
  await page.getByText('whsec_', { exact: false }).waitFor()
  const hook = page.getByRole('region', { name: 'https://shop.example.com/hook' })
  await hook.getByText('Sends: Items that are stored, or stopped, Payments and deposits, Withdrawals').waitFor()
  expect(server.state.webhooks[0]?.types).toContain('withdrawal.sent')
  expect(server.state.webhooks[0]?.types).not.toContain('payouts.stopped')

  await hook.getByRole('button', { name: 'Send a test message' }).click()
  await hook.getByText('The message was accepted.').waitFor()
  await hook.getByRole('button', { name: 'End it' }).click()
  await dialog().getByRole('button', { name: 'End it' }).click()
  await page.getByRole('heading', { name: 'No webhook yet' }).waitFor()
})

it('28.10: a webhook says why it takes nothing, and one that a new password paused goes on by a press', async () => {
  addWebhook(server.state, { url: 'https://down.example.com/', failingSince: 1_700_000_000, problem: 'status 500' })
  addWebhook(server.state, { url: 'https://paused.example.com/', pausedAt: 1_700_000_000 })
  addWebhook(server.state, { url: 'https://off.example.com/', offAt: 1_700_000_000 })
  await open('/console/account/webhooks')
  const hook = (host: string) => page.getByRole('region', { name: `https://${host}.example.com/` })
  await hook('down').getByText('Takes no messages since 14 Nov 2023', { exact: false }).waitFor()
  await hook('down').getByRole('button', { name: 'Send a test message' }).click()
  await hook('down').getByText('The message was not accepted. status 500').waitFor()
  await hook('off').getByText('Turned off 14 Nov 2023', { exact: false }).waitFor()
  expect(await hook('off').getByRole('button', { name: 'Send a test message' }).count()).toBe(0)
  await hook('paused').getByRole('button', { name: 'Let it go on' }).click()
  await hook('paused').getByText('Works, since', { exact: false }).waitFor()
})

it('28.7: says before an account is closed that its address cannot be used again, and after it that it is closed', async () => {
  await open('/console/account')
  const gone = 'ann@example.com cannot be used for another account afterwards.'
  await page.getByText(gone).waitFor()
  await button('Close the account').click()
  await dialog().getByText(gone).waitFor()
  await dialog().getByLabel('Password').fill('Correct1')
  server.refuse('DELETE', /^\/v0\/user$/, {
    status: 403,
    code: 'wrong_password',
    message: 'This is not your password.',
  })
  await dialog().getByRole('button', { name: 'Close the account' }).click()
  await dialog().getByText('This is not your password.').first().waitFor()
  expect(await dialog().getByLabel('Password').inputValue()).toBe('Correct1')
  server.allowAll()
  server.refuse('DELETE', /^\/v0\/user$/, { status: 204 })
  await dialog().getByRole('button', { name: 'Close the account' }).click()
  await heading('Sign in').waitFor()
  await page.getByText('The account is closed.').waitFor()
  expect(await page.getByLabel('Email').inputValue()).toBe('')
})

it('28.7: says "after 24 hours" only where the day is over, else that the session was ended; the email is filled in', async () => {
  for (const [age, why] of [
    [86_400, 'You were signed out after 24 hours.'],
    [3600, 'This session was ended: in another tab or browser, or by a new password.'],
  ] as const) {
    const { state } = server
    state.signedIn = true
    state.tokenSeconds = 1800
    state.loggedInAgo = age
    await open('/console/library')
    await heading('Library').waitFor()
    state.signedIn = false
    server.refuse('GET', /^\/v0\/site$/, {
      status: 401,
      code: 'token_revoked',
      message: 'The token is not valid any more.',
    })
    await page.getByRole('link', { name: 'Sites' }).first().click()
    await heading('Sign in').waitFor()
    await page.getByText(why, { exact: false }).waitFor()
    expect(await page.getByLabel('Email').inputValue()).toBe('ann@example.com')
    server.allowAll()
  }
})

it('28.15: the email that was typed is there where a new password is asked for, and on the way back', async () => {
  server.state.signedIn = false
  await open('/console')
  await page.getByLabel('Email').fill('bob@example.com')
  await page.getByRole('link', { name: 'Choose a new password' }).click()
  await heading('Choose a new password').waitFor()
  expect(await page.getByLabel('Email').inputValue()).toBe('bob@example.com')
  expect(await page.title()).toBe('Choose a new password · Hookline')
  await page.getByRole('link', { name: 'Sign in' }).click()
  await heading('Sign in').waitFor()
  expect(await page.getByLabel('Email').inputValue()).toBe('bob@example.com')
})

it('28.15: after a failed sign-up the focus is on what is wrong: a field, or what the service said', async () => {
  server.state.signedIn = false
  await open('/console/sign-up')
  await page.getByLabel('Given name').fill('Ann')
  await page.getByLabel('Family name').fill('Lindqvist')
  await page.getByLabel('Email').fill('ann')
  await page.getByLabel('Password', { exact: true }).fill('Correct1')
  const focused = () => page.evaluate(() => document.activeElement?.textContent ?? '')
  await button('Make the account').click()
  const email = page.getByLabel('Email')
  await expect.poll(() => email.evaluate((element) => element === document.activeElement)).toBe(true)
  await email.fill('ann@example.com')
  server.refuse('POST', /^\/v0\/user$/, { status: 400, code: 'invalid_field', message: 'This address cannot be used.' })
  await button('Make the account').click()
  await expect.poll(focused).toContain('This address cannot be used.')
  expect(await page.getByLabel('Given name').inputValue()).toBe('Ann')
})

it('28.11: leads to help, and to terms, privacy and contact where the operator names them, signed in or not', async () => {
  const links = () => page.getByRole('navigation', { name: 'About the service' }).getByRole('link')
  await open('/console/library')
  await expect.poll(() => links().allTextContents()).toEqual(['Help'])
  const { state } = server
  state.links = {
    help: null,
    terms: 'https://example.com/terms',
    privacy: 'https://example.com/privacy',
    contact: 'mailto:a@b.c',
  }
  for (const signedIn of [true, false]) {
    state.signedIn = signedIn
    await open('/console/library')
    await expect.poll(() => links().allTextContents()).toEqual(['Help', 'Terms', 'Privacy', 'Contact'])
    expect(await links().last().getAttribute('href')).toBe('mailto:a@b.c')
  }
})

it('28.10: the secret of a webhook is copied by a press', async () => {
  if (!isFirefox(page)) await context.grantPermissions(['clipboard-write'], { origin: server.origin })
  await open('/console/account/webhooks')
  await button('Add a webhook').first().click()
  await dialog().getByLabel('Address').fill('https://shop.example.com/hook')
  await dialog().getByRole('button', { name: 'Add a webhook' }).click()
  await page.getByRole('button', { name: 'Copy: Secret' }).click()
  await page.getByRole('button', { name: 'Copied: Secret' }).waitFor()
})

it('a key says what it may spend in eight decimals with the unit, and when it has no end', async () => {
  await open('/console/account')
  const key = page.getByRole('row').filter({ hasText: 'backup script' })
  await key.getByText('spends at most 0.00100000 BTC a day').waitFor()
  await button('Make a key').click()
  await dialog().getByText('Without a number the key does not end.').waitFor()
})

it('49.10: another email address is asked for with the password, and what is wrong stands at its field', async () => {
  await page.goto(`${server.origin}/console/account`)
  await page.getByText('You sign in with ann@example.com.').waitFor()
  const send = page.getByRole('button', { name: 'Change the address' })
  const form = page.locator('form').filter({ has: send })
  await send.click()
  await form.getByText('Type the new address, such as ann@example.com.').waitFor()
  await form.getByText('Type your password.').waitFor()
  await form.getByLabel('New email address').fill('Ann@example.com')
  await form.getByText('This is the address that the account has.').waitFor()
  // Firefox does not select what an email field has, so that filling it again would add to it.
  await form.getByLabel('New email address').press('ControlOrMeta+a')
  await form.getByLabel('New email address').pressSequentially('ann@new.example.com')
  await form.getByLabel('Password', { exact: true }).fill('Incorrect1')
  await send.click()
  await form.getByText('This is not your password.').waitFor()
  expect(await form.getByLabel('New email address').inputValue()).toBe('ann@new.example.com')
  await form.getByLabel('Password', { exact: true }).fill('Correct1')
  await send.click()
  await form.getByText('If ann@new.example.com is free, we sent a link there.', { exact: false }).waitFor()
  expect(await form.getByLabel('Password', { exact: true }).inputValue()).toBe('')
  expect(await axeViolations(page)).toEqual([])
})
