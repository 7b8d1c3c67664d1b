import type { AccountTexts } from './en/account.ts'
import { language } from './language.ts'

const LOADERS: Record<typeof language, () => Promise<{ account: AccountTexts }>> = {
  en: () => import('./en/account.ts'),
  de: () => import('./de/account.ts'),
  es: () => import('./es/account.ts'),
}

/** The texts of the account in the reader's language. */
export const accountTexts: AccountTexts = (await LOADERS[language]()).account
