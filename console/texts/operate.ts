import type { OperateTexts } from './en/operate.ts'
import { language } from './language.ts'
import { type TextTools, toolsOf } from './tools.ts'

const LOADERS: Record<typeof language, () => Promise<{ operate: (tools: TextTools) => OperateTexts }>> = {
  en: () => import('./en/operate.ts'),
  de: () => import('./de/operate.ts'),
  es: () => import('./es/operate.ts'),
}

/** The texts of Operate in the reader's language. */
export const operateTexts: OperateTexts = (await LOADERS[language]()).operate(toolsOf(language))
