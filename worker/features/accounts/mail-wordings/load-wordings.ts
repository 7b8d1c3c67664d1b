import type { Language } from '../../../../contract/languages.ts'
import type { OrderWordings, Wordings } from './wording.ts'

const LOADERS: Record<Language, () => Promise<{ wordings: Wordings; orders: OrderWordings }>> = {
  en: () => import('./en.ts'),
  de: () => import('./de.ts'),
  es: () => import('./es.ts'),
}

/** The mails of one language. */
export function loadWordings(language: Language): Promise<{ wordings: Wordings; orders: OrderWordings }> {
  return LOADERS[language]()
}
