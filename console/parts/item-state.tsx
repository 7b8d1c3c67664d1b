import type { Schemas } from '../api/client.ts'
import { groupDigits } from '../core/size-text.ts'
import { shareOf } from '../core/upload-rate.ts'
import { texts } from '../texts/index.ts'
import { statusOf } from '../upload/prepare-order.ts'
import { Icon } from './icon.tsx'
import { Block } from './motif.tsx'
import { State } from './notice.tsx'

/** The state of an item: a shape and a word. */
export function ItemState({ item }: { item: Schemas['Item'] }) {
  const { states } = texts.library
  switch (statusOf(item)) {
    case 201: {
      if (item.merging)
        return (
          <State kind="busy" icon={<Block fill="half" />}>
            {texts.library.merging}
          </State>
        )
      const percent = Math.floor(shareOf(item.received ?? 0, item.size) * 100)
      return (
        <State kind="busy" icon={<Icon name="up" />}>
          {texts.library.uploadingShare(String(percent))}
        </State>
      )
    }
    case 402:
      return (
        <State kind="warn" icon={<Icon name="coin" />}>
          {states['402']}
        </State>
      )
    case 202: {
      const total = item.transactions ?? 0
      const text = total > 1 ? texts.library.writingOf(groupDigits(item.written), groupDigits(total)) : states['202']
      return (
        <State kind="busy" icon={<Block fill="half" />}>
          {text}
        </State>
      )
    }
    case 409:
      return (
        <State kind="bad" icon={<Icon name="stop" />}>
          {states['409']}
        </State>
      )
    default:
      return <State icon={<Block fill="full" />}>{states['200']}</State>
  }
}
