import { texts } from '../texts/index.ts'
import { groupDigits } from './size-text.ts'

/** "a.txt, b.txt, c.txt and 147 more". */
export function listed(names: readonly string[], most = 3): string {
  const shown = names.slice(0, most).join(', ')
  const more = names.length - most
  return more > 0 ? texts.common.andMore(shown, groupDigits(more)) : shown
}
