import type { Texts } from './en/texts.ts'
import { language } from './language.ts'
import { type TextTools, toolsOf } from './tools.ts'

const LOADERS: Record<typeof language, () => Promise<{ texts: (tools: TextTools) => Texts }>> = {
  en: () => import('./en/texts.ts'),
  de: () => import('./de/texts.ts'),
  es: () => import('./es/texts.ts'),
}

/** The texts of the console in the reader's language. Whatever imports them waits until they are loaded. */
export const texts: Texts = (await LOADERS[language]()).texts(toolsOf(language))
