import { expect, it } from 'vitest'
import { axeViolations } from '../kit/check-accessibility.ts'
import { context, openForEachTest, page, server } from './open-for-each-test.ts'
import { addItem } from './server/fake-state.ts'

openForEachTest({ locale: 'de-AT' })

const heading = (name: string) => page.getByRole('heading', { level: 1, name, exact: true })

/** The texts that pages have loaded, by the language that their first words are in. */
function watchTexts(): string[] {
  const loaded: string[] = []
  context.on('response', async (response) => {
    if (!/\/assets\/texts-[^/]*\.js$/.test(response.url())) return
    const text = await response.text()
    for (const [language, words] of [
      ['en', 'Skip to the page'],
      ['de', 'Zur Seite springen'],
      ['es', 'Saltar a la página'],
    ] as const) {
      if (text.includes(words)) loaded.push(language)
    }
  })
  return loaded
}

it('opens in the language of the browser, and loads the texts of no other', async () => {
  const loaded = watchTexts()
  server.state.signedIn = false
  await page.goto(`${server.origin}/console`)
  await heading('Anmelden').waitFor()
  expect(await page.evaluate(() => document.documentElement.lang)).toBe('de')
  await page.getByRole('link', { name: 'Hilfe' }).click()
  await page.getByText('Was ist eine Blockchain', { exact: false }).waitFor()
  expect(await axeViolations(page)).toEqual([])
  expect(loaded).toEqual(['de'])
})

it('asks for the session while the texts are loaded, and waits for both', async () => {
  let release = () => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  await page.route(/\/assets\/texts-/, async (route) => {
    const response = await route.fetch()
    if ((await response.text()).includes('Zur Seite springen')) await held
    await route.fulfill({ response })
  })
  const session = page.waitForRequest((request) => request.url().endsWith('/console/session'))
  await page.goto(`${server.origin}/console`, { waitUntil: 'commit' })
  await session
  expect(await page.locator('h1').count()).toBe(0)
  release()
  await heading('Speichern').waitFor()
})

it('changes to the language that somebody chooses, and stays in it', async () => {
  server.state.signedIn = false
  await page.goto(`${server.origin}/console`)
  await page.getByLabel('Sprache').selectOption('es')
  await heading('Iniciar sesión').waitFor()
  expect(await page.evaluate(() => document.documentElement.lang)).toBe('es')
  await page.reload()
  await heading('Iniciar sesión').waitFor()
  await page.getByLabel('Idioma').selectOption('en')
  await heading('Sign in').waitFor()
})

it('writes numbers, sizes and dates of views in that language', async () => {
  const bytes = Buffer.alloc(1_250_000, 'x')
  const { id } = addItem(server.state, { name: 'brief.txt', bytes })
  await page.goto(`${server.origin}/console/library`)
  await page.getByText('Insgesamt 1 Objekt, 1,3\u00a0MB', { exact: true }).waitFor()
  await page.goto(`${server.origin}/console/item/${id}`)
  await page.getByText('Text, 1.250.000 Byte, dauerhaft auf Nativecoin').waitFor()
  expect(await axeViolations(page)).toEqual([])
})

it('is in the language of the account once somebody has signed in', async () => {
  server.state.language = 'es'
  await page.goto(`${server.origin}/console/account`)
  await heading('Cuenta').waitFor()
  const choice = page.getByRole('group', { name: 'Idioma, también de los correos' })
  expect(await choice.locator('[aria-pressed="true"]').textContent()).toBe('Español')
})
