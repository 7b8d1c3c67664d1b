import type { Schemas } from '../api/client.ts'
import { groupDigits } from '../core/size-text.ts'
import { shareOf } from '../core/upload-rate.ts'
import { texts } from '../texts/index.ts'
import { statusOf } from '../upload/prepare-order.ts'
import { State, type StateLook } from './notice.tsx'

const LOOKS: Record<number, StateLook> = {
  201: { kind: 'busy', icon: 'up' },
  202: { kind: 'busy', block: 'half' },
  402: { kind: 'warn', icon: 'coin' },
  409: { kind: 'bad' },
}

/** The state of an item: a shape and a word. */
export function ItemState({ item }: { item: Schemas['Item'] }) {
  const look = LOOKS[item.merging ? 202 : statusOf(item)] ?? { block: 'full' }
  return <State {...look}>{stateText(item)}</State>
}

function stateText(item: Schemas['Item']): string {
  const { states, merging, uploadingShare, writingOf } = texts.library
  const total = item.transactions ?? 0
  switch (statusOf(item)) {
    case 201:
      return item.merging ? merging : uploadingShare(String(Math.floor(shareOf(item.received ?? 0, item.size) * 100)))
    case 202:
      return total > 1 ? writingOf(groupDigits(item.written), groupDigits(total)) : states['202']
    case 402:
      return states['402']
    case 409:
      return states['409']
    default:
      return states['200']
  }
}
