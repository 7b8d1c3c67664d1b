import type { WebhookTexts } from './en/webhooks.ts'
import { language } from './language.ts'
import { type TextTools, toolsOf } from './tools.ts'

const LOADERS: Record<typeof language, () => Promise<{ webhooks: (tools: TextTools) => WebhookTexts }>> = {
  en: () => import('./en/webhooks.ts'),
  de: () => import('./de/webhooks.ts'),
  es: () => import('./es/webhooks.ts'),
}

/** The texts of the webhooks in the reader's language. */
export const webhookTexts: WebhookTexts = (await LOADERS[language]()).webhooks(toolsOf(language))
