import type { HelpEntry } from './help-entry.ts'
import { language } from './language.ts'

const LOADERS: Record<typeof language, () => Promise<{ help: readonly HelpEntry[] }>> = {
  en: () => import('./en/help.ts'),
  de: () => import('./de/help.ts'),
  es: () => import('./es/help.ts'),
}

/** The help for people in the reader's language: loaded apart from the other texts, only with its page. */
export const { help } = await LOADERS[language]()
