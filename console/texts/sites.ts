import type { SitesTexts } from './en/sites.ts'
import { language } from './language.ts'
import { type TextTools, toolsOf } from './tools.ts'

const LOADERS: Record<typeof language, () => Promise<{ sites: (tools: TextTools) => SitesTexts }>> = {
  en: () => import('./en/sites.ts'),
  de: () => import('./de/sites.ts'),
  es: () => import('./es/sites.ts'),
}

/** The texts of the sites in the reader's language. */
export const siteTexts: SitesTexts = (await LOADERS[language]()).sites(toolsOf(language))
