import { signal } from '@preact/signals'
import { language } from './language.ts'

/** English needs none: the service's own sentences are English. */
const LOADERS: Record<Exclude<typeof language, 'en'>, () => Promise<{ errors: Readonly<Record<string, string>> }>> = {
  de: () => import('./de/errors.ts'),
  es: () => import('./es/errors.ts'),
}

/** By code; empty until they are loaded. A view that showed the service's own sentence is then drawn again. */
const sentences = signal(new Map<string, string>())

let asked = false

/** Loads the sentences for failures, unless they are. Without a network the next failure asks for them again. */
export async function loadErrors(): Promise<void> {
  if (asked || language === 'en') return
  asked = true
  try {
    const { errors } = await LOADERS[language]()
    sentences.value = new Map(Object.entries(errors))
  } catch {
    asked = false
  }
}

/**
 * What a code of the service means in the reader's language, or `said`, the service's own sentence. Where only that one
 * names the field or the limit, ours ends with a colon, and it follows.
 */
export function errorSentence(code: string, said: string): string {
  void loadErrors()
  const own = sentences.value.get(code)
  return own?.endsWith(':') ? `${own} ${said}` : (own ?? said)
}
