import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { PASSWORD, signUp } from '../kit/sign-up.ts'
import { storeFiles } from '../kit/store-files.ts'
import { browser, openService, worker } from './open-service.ts'

openService({ opens: 'browser' })

describe('the console as the Worker answers it', () => {
  it('opens at its sign-in page, and its policy refuses nothing of its own', async () => {
    const page = await browser.newPage()
    const violations: string[] = []
    page.on(
      'console',
      (message) => message.text().includes('Content Security Policy') && violations.push(message.text()),
    )
    await page.goto(`${worker.url}/console`)
    await page.getByLabel('Password', { exact: true }).waitFor()
    expect(violations).toEqual([])
    await page.close()
  })

  it('makes an account and signs in, with nothing of the session where a script reads it', async () => {
    const context = await browser.newContext()
    const page = await context.newPage()
    await page.goto(`${worker.url}/console/sign-up`)
    await page.getByLabel('Given name').fill('Ada')
    await page.getByLabel('Family name').fill('Lovelace')
    await page.getByLabel('Email').fill('ada@example.com')
    await page.getByLabel('Password', { exact: true }).fill('Correct1')
    await page.getByRole('button', { name: 'Make the account' }).click()
    const { mails } = worker.chains.devnet.outbox
    await expect.poll(() => mails.length).toBe(1)
    const [link = ''] = /http:\/\/\S+\?token=\S+/.exec(mails[0]?.text ?? '') ?? []
    const mailed = await context.newPage()
    const { pathname, search } = new URL(link)
    await mailed.goto(worker.url + pathname + search)
    await mailed.getByLabel('Password').fill('Correct1')
    await mailed.getByRole('button', { name: 'Yes, confirm it' }).click()
    await mailed.getByRole('heading', { name: 'Thank you' }).waitFor()
    // The tab that waited signs in by itself.
    await page.getByRole('heading', { level: 1, name: 'Store' }).waitFor()
    const [cookie] = await context.cookies()
    expect(cookie).toMatchObject({ name: 'hookline', httpOnly: true, sameSite: 'Strict', path: '/' })
    expect(await page.evaluate('document.cookie')).toBe('')
    await page.reload()
    await expect.poll(() => page.getByLabel('Password', { exact: true }).count()).toBe(0)
    await context.close()
  })

  it('solves the puzzle of a sign-in while strangers fill the queue of logins, and goes on', async () => {
    const email = `${randomUUID()}@example.com`
    await signUp(worker, email)
    const context = await browser.newContext()
    const page = await context.newPage()
    const proofs: (string | undefined)[] = []
    page.on('request', (request) => {
      const asks = request.method() === 'POST' && request.url().endsWith('/console/session')
      if (asks) proofs.push(request.headers()['hookline-proof'])
    })
    await page.goto(`${worker.url}/console`)
    await page.getByLabel('Email').fill(email)
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
    let filling = true
    const full = Promise.withResolvers<void>()
    const strangers = Array.from({ length: 24 }, async () => {
      while (filling) {
        const body = JSON.stringify({ email: `${randomUUID()}@example.com`, password: PASSWORD })
        const headers = { 'Content-Type': 'application/json' }
        const response = await fetch(`${worker.url}/v0/token`, { method: 'POST', headers, body })
        if ((await response.text()).includes('proof_needed')) full.resolve()
      }
    })
    try {
      await full.promise
      await page.getByRole('button', { name: 'Sign in', exact: true }).click()
      await page.getByRole('heading', { level: 1, name: 'Store' }).waitFor()
    } finally {
      filling = false
      await Promise.all(strangers)
    }
    expect(proofs).toEqual([undefined, expect.stringMatching(/^[\w-]+\.\d+$/)])
    await context.close()
  })

  it('offers no passkey under an IP address, for which browsers take none', async () => {
    const page = await browser.newPage()
    await page.goto(`${worker.url}/console`)
    await page.getByRole('button', { name: 'Sign in', exact: true }).waitFor()
    expect(await page.getByRole('button', { name: 'Sign in with a passkey' }).count()).toBe(0)
    await page.close()
  })

  it('cannot load a script that somebody stored', async () => {
    const { root } = await storeFiles(worker, { 'stored.js': 'globalThis.ranStored = true' })
    const load = `import(${JSON.stringify(`${worker.url}/ipfs/${root}/stored.js`)}).then(() => 'ran', () => 'refused')`
    const page = await browser.newPage()
    await page.goto(`${worker.url}/v0/openapi.json`)
    expect(await page.evaluate(load)).toBe('ran')
    await page.goto(`${worker.url}/console`)
    await page.getByLabel('Password', { exact: true }).waitFor()
    expect(await page.evaluate(load)).toBe('refused')
    expect(await page.evaluate('globalThis.ranStored')).toBeUndefined()
    await page.close()
  })
})
