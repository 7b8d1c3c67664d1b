import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { PASSWORD, signUp } from '../kit/sign-up.ts'
import { type RunningWorker, startWorker } from '../kit/start-worker.ts'
import { OTHER_ENGINES } from './engines.ts'

let worker: RunningWorker

beforeAll(async () => {
  worker = await startWorker()
})
afterAll(() => worker?.close())

it.each(OTHER_ENGINES)(
  '28.5, 7, 9, 10, 11: folders, sites, sessions, webhooks and the footer are seen and changed by presses in %s',
  async (name, open) => {
    const email = `${randomUUID()}@example.com`
    await signUp(worker, email)
    const { page, close } = await open()
    onTestFinished(close)
    await page.goto(worker.url)
    await page.see('footer a', 'Help')
    await page.type('input[type=email]', email)
    await page.type('input[type=password]', PASSWORD)
    await page.click('button', 'Sign in')
    await page.see('h1', 'Store')

    // Two folders, one of which is renamed, and moved into the other.
    await page.goto(`${worker.url}/console/library`)
    await page.see('h2', 'Nothing stored yet')
    for (const folder of ['archive', 'letters']) {
      await page.click('button', 'New folder')
      await page.type('dialog input', folder)
      await page.click('dialog button', 'Make the folder')
      await page.see('th a', folder)
    }
    await page.click('th a', 'letters')
    await page.see('h1', 'letters')
    await page.see('.head p', 'Nothing is in it.')
    await page.click('main button', 'Rename')
    await page.type('dialog input', ' home')
    await page.click('dialog button', 'Rename')
    await page.see('h1', 'home')
    await page.click('main button', 'Move')
    await page.click('dialog li button', 'archive')
    await page.click('dialog button', 'Move into archive')
    await page.see('.crumb a', 'archive')
    expect(await page.read('document.title')).toContain('home')

    // A site is made, renamed and deleted; no domain is offered before it shows something.
    await page.goto(`${worker.url}/console/sites`)
    await page.click('button', 'Make a site')
    await page.type('dialog input', 'Almanac')
    await page.click('dialog button', 'Make a site')
    await page.see('h1', 'Almanac')
    await page.see('main p', 'This service takes no domains')
    await page.click('main button', 'Rename')
    await page.type('dialog input', ' 2026')
    await page.click('dialog button', 'Rename')
    await page.see('h1', '2026')
    await page.click('main button', 'Delete')
    await page.click('dialog button', 'Delete the site')
    await page.see('h2', 'No site yet')

    // The session has the name of this browser, and the refusal of a webhook is shown at its place.
    await page.goto(`${worker.url}/console/account`)
    await page.see('td', name === 'Firefox' ? 'Firefox on Linux' : 'on Linux')
    await page.see('td', 'This browser')
    await page.see('main p', `${email} cannot be used for another account afterwards.`)
    await page.click('main a', 'See the webhooks')
    await page.click('button', 'Add a webhook')
    await page.type('dialog input', 'https://hooks.internal/x')
    await page.click('dialog button', 'Add a webhook')
    await page.see('dialog [role=alert]')
    await page.see('dialog input')
  },
)
