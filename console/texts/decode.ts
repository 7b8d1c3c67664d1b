import type { DecodeTexts } from './en/decode.ts'
import { language } from './language.ts'
import { type TextTools, toolsOf } from './tools.ts'

const LOADERS: Record<typeof language, () => Promise<{ decode: (tools: TextTools) => DecodeTexts }>> = {
  en: () => import('./en/decode.ts'),
  de: () => import('./de/decode.ts'),
  es: () => import('./es/decode.ts'),
}

/** The texts of the field for transactions in the reader's language. */
export const decodeTexts: DecodeTexts = (await LOADERS[language]()).decode(toolsOf(language))
