import { useTask } from '../hooks/use-task.ts'
import { texts } from '../texts/index.ts'
import { Failed } from './failed.tsx'

/** The button below a list that has more pages; nothing otherwise. */
export function MoreButton(props: { more: (() => Promise<void>) | undefined; text?: string }) {
  const { more, text = texts.common.more } = props
  const { busy, error, run } = useTask()
  if (!more) return null
  const show = () => void run(more)
  if (error) return <Failed error={error} again={show} />
  return (
    <p class="after">
      <button type="button" class="btn plain" onClick={show} disabled={busy}>
        {busy ? texts.common.going(text) : text}
      </button>
    </p>
  )
}
