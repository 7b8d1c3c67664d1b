import type { Page } from 'playwright-core'
import { dropFiles } from './drop-files.ts'

/** The fields of the sign-up form. */
export interface NewAccount {
  firstName: string
  lastName: string
  email: string
  password: string
}

/** How often the outbox is polled for the mail, a second apart. */
const MAIL_POLLS = 60

/**
 * Makes an account through the pages of the console at `url`, with the mail in the outbox that it links. Ends signed in,
 * where files are chosen.
 */
export async function makeAccount(tab: Page, url: string, account: NewAccount): Promise<void> {
  await tab.goto(url)
  await tab.getByRole('link', { name: 'Make an account' }).click()
  await tab.getByLabel('Given name').fill(account.firstName)
  await tab.getByLabel('Family name').fill(account.lastName)
  await tab.getByLabel('Email').fill(account.email)
  await tab.getByLabel('Password', { exact: true }).fill(account.password)
  await tab.getByRole('button', { name: 'Make the account' }).click()

  const mail = await follow(tab, 'Read the mail in the outbox of this machine')
  const confirm = mail.getByRole('article').filter({ hasText: account.email }).getByRole('link')
  // The page does not reload by itself.
  for (let polls = 0; polls < MAIL_POLLS && (await confirm.count()) === 0; polls++) {
    await mail.waitForTimeout(1000)
    await mail.reload()
  }
  await confirm.click()
  await mail.getByLabel('Password').fill(account.password)
  await mail.getByRole('button', { name: 'Yes, confirm it' }).click()
  await mail.getByRole('heading', { name: 'Thank you' }).waitFor()
  await mail.close()
  // The tab that waited signs in by itself.
  await tab.getByRole('heading', { level: 1, name: 'Store' }).waitFor()
}

/** Drops files and chooses where they go. */
export async function dropAndChoose(tab: Page, paths: readonly string[], target: string): Promise<void> {
  await dropFiles(tab, tab.getByRole('region', { name: 'Drop files or folders here' }), paths)
  await tab.getByRole('radio', { name: target }).check({ force: true })
}

/**
 * Agrees to what is stored, and starts the upload. By keyboard: a notice of known files that arrives between press and release
 * of the mouse moves the button, and a click is lost then.
 */
export async function upload(tab: Page): Promise<void> {
  await tab.getByRole('checkbox', { name: /everybody can read this/ }).press('Space')
  await tab.getByRole('button', { name: /^Upload [\d,]+ files?$/ }).press('Enter')
}

/** Pays the shown request from the faucet. */
export async function payByFaucet(tab: Page): Promise<void> {
  await tab.getByRole('button', { name: 'Pay from the faucet of this machine' }).click()
}

/** Follows a link of the page that opens another tab. */
async function follow(tab: Page, link: string): Promise<Page> {
  const [opened] = await Promise.all([tab.waitForEvent('popup'), tab.getByRole('link', { name: link }).click()])
  opened.setDefaultTimeout(60_000)
  return opened
}

/** Signs in at the console that `tab` shows. Ends where files are chosen. */
export async function signInAtConsole(tab: Page, email: string, password: string): Promise<void> {
  await tab.getByLabel('Email').fill(email)
  await tab.getByLabel('Password', { exact: true }).fill(password)
  await tab.getByRole('button', { name: 'Sign in' }).click()
  await tab.getByRole('heading', { level: 1, name: 'Store' }).waitFor()
}
