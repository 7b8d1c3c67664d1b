import { durationText } from '../core/time-text.ts'
import { feedState } from '../events/feed.ts'
import { useNow } from '../hooks/use-now.ts'
import { texts } from '../texts/index.ts'
import { State } from './notice.tsx'

/** Whether updates are live, and when something last arrived. */
export function FeedLive() {
  const now = useNow()
  const { live, lastEventAt } = feedState.value
  return (
    <State kind="quiet" icon="operate">
      {live ? texts.live(durationText(Math.max(0, now - lastEventAt / 1000))) : texts.polling}
    </State>
  )
}
